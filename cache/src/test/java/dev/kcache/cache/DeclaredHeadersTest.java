// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sources with many declared headers. */
@Timeout(60)
final class DeclaredHeadersTest {
  private static final String KERNEL = "__global__ void k() {}\n";

  @TempDir Path directory;

  @Test
  void withHeaders_isWithHeaderForEach() throws IOException {
    Path main = directory.resolve("main.hip");
    Files.writeString(main, "#include \"a.h\"\n#include \"own.h\"\n" + KERNEL);
    Files.writeString(directory.resolve("own.h"), "int own;\n");
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("b.h", "int b;\n");
    headers.put("a.h", "#include \"b.h\"\n");
    KernelSource source = KernelSource.read(main).withHeader("b.h", "int replaced;\n");

    KernelSource together = source.withHeaders(headers);

    KernelSource oneByOne = source.withHeader("b.h", "int b;\n");
    oneByOne = oneByOne.withHeader("a.h", "#include \"b.h\"\n");
    assertThat(together.digest()).isEqualTo(oneByOne.digest());
    assertThat(together.staged().files()).isEqualTo(oneByOne.staged().files());
    assertThat(together.withHeaders(Map.of())).isSameAs(together);
  }

  @Test
  void withHeaders_refusesWhatWithHeaderRefuses() {
    KernelSource source = KernelSource.of("main.hip", KERNEL);

    assertThatExceptionOfType(InvalidKernelSourceException.class)
        .isThrownBy(() -> source.withHeaders(Map.of("../a.h", "")))
        .withMessageContaining("../a.h");
    assertThatExceptionOfType(InvalidKernelSourceException.class)
        .isThrownBy(() -> source.withHeaders(Map.of("a.h", "asm(\".incbin f\");")))
        .withMessageContaining("a.h");
  }

  @Test
  void fiveThousand_atOnce() {
    Map<String, String> headers = new LinkedHashMap<>();
    for (int i = 0; i < 5000; i++) {
      headers.put("h" + i + ".h", "int x" + i + ";\n");
    }

    KernelSource source = KernelSource.of("main.hip", KERNEL).withHeaders(headers);

    assertThat(source.staged().files()).hasSize(5001);
    assertThat(source.staged().includeDirectories()).isEqualTo(List.of("hdr"));
  }

  /** Each declaration looks at all headers there are; those of earlier ones are not in the way. */
  @Test
  void sixHundred_oneByOne() {
    StringBuilder main = new StringBuilder();
    for (int i = 0; i < 600; i++) {
      main.append("#include \"h").append(i).append(".h\"\n");
    }
    KernelSource source = KernelSource.of("main.hip", main + KERNEL);
    for (int i = 0; i < 600; i++) {
      source = source.withHeader("h" + i + ".h", "int x" + i + ";\n");
    }

    assertThat(source.staged().files()).hasSize(601);
  }
}
