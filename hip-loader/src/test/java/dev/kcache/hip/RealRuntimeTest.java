// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runtime that hipcc's packages bring along, on a machine without a GPU. */
class RealRuntimeTest {
  private static final Map<String, String> NEUTRAL =
      Map.of("KCACHE_HIP_LIBRARY", "", "ROCM_PATH", "", "HIP_PATH", "");

  private static List<String> found;

  @BeforeAll
  static void find() {
    found = lines(NEUTRAL);
  }

  @Test
  void runtime_saysItsFileAndVersions() {
    assertThat(Path.of(found.get(0))).isAbsolute().exists();
    assertThat(found.get(1)).matches("[567]\\.\\d+\\.\\d+");
    assertThat(found.get(2)).isEqualTo(found.get(1));
  }

  @Test
  void noDevice_isAnEmptyListWithAReason() {
    assertThat(found.get(3)).isEqualTo("[]");
    assertThat(found.get(4)).startsWith("there is no GPU: ");
  }

  @Test
  void library_isTheSameByEachRoute(@TempDir Path rocm) throws IOException {
    Path library = Path.of(found.get(0));
    Path copy = Files.createDirectory(rocm.resolve("lib")).resolve("libamdhip64.so.5");
    Files.copy(library, copy);
    List<String> copied = lines(Map.of("KCACHE_HIP_LIBRARY", rocm.toString()));

    assertThat(copied.get(0)).isEqualTo(copy.toString());
    assertThat(copied.subList(1, 5)).isEqualTo(found.subList(1, 5));
    assertThat(lines(Map.of("KCACHE_HIP_LIBRARY", copy.toString()))).isEqualTo(copied);
    assertThat(lines(Map.of("ROCM_PATH", rocm.toString()))).isEqualTo(copied);
    assertThat(lines(Map.of("ROCM_PATH", "", "HIP_PATH", rocm.toString()))).isEqualTo(copied);
    assertThat(lines(Map.of("KCACHE_HIP_LIBRARY", library.getParent().toString())))
        .isEqualTo(found);
  }

  @Test
  void jniChecks_findNothing() {
    assertThat(RuntimeProbe.run(NEUTRAL, "-Xcheck:jni"))
        .contains(found.get(1))
        .doesNotContain("FATAL ERROR in native method");
  }

  private static List<String> lines(Map<String, String> environment) {
    return RuntimeProbe.run(environment).lines().toList();
  }
}
