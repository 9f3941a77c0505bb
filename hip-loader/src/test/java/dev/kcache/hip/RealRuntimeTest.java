// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runtime that hipcc's packages bring along, on a machine without a GPU. */
class RealRuntimeTest {
  private final HipRuntime hip = HipRuntime.find(Map.of());

  @Test
  void runtime_isThereAndSaysItsVersion() {
    assertThat(hip.unavailability()).isEmpty();
    assertThat(hip.version().major()).isIn(5, 6, 7);
    assertThat(hip.driverVersion()).isEqualTo(hip.version());
  }

  @Test
  void libraryThatTheLoaderFound_isNamedWithItsPath() {
    assertThat(Path.of(hip.library())).isAbsolute().exists();
  }

  @Test
  void library_isTheSameByEachRoute(@TempDir Path rocm) throws IOException {
    Path library = Path.of(hip.library());
    Path lib = Files.createDirectory(rocm.resolve("lib"));
    Files.createSymbolicLink(lib.resolve("libamdhip64.so.5"), library);

    for (String variable : new String[] {"KCACHE_HIP_LIBRARY", "ROCM_PATH", "HIP_PATH"}) {
      HipRuntime found = HipRuntime.find(Map.of(variable, rocm.toString()));
      assertThat(Path.of(found.library()).toRealPath()).isEqualTo(library.toRealPath());
      assertThat(found.version()).isEqualTo(hip.version());
    }
    assertThat(HipRuntime.find(Map.of("KCACHE_HIP_LIBRARY", library.toString())).version())
        .isEqualTo(hip.version());
    assertThat(HipRuntime.at(library.getParent()).version()).isEqualTo(hip.version());
  }

  @Test
  void noDevice_isAnEmptyList() {
    assertThat(hip.devices()).isEmpty();
  }
}
