// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The layouts, against those that the C compiler makes of the headers of this machine's HIP. */
class PropertyLayoutTest {
  private static final RecordComponent[] FIELDS = PropertyLayout.class.getRecordComponents();

  /** Headers of 5 have one layout, the old one, and those of 6 both. */
  private static final String HEADERS =
      """
      #define __HIP_PLATFORM_AMD__
      #include <stddef.h>
      #include <stdio.h>
      #include <hip/hip_runtime_api.h>
      #include <hip/hip_version.h>
      #if HIP_VERSION_MAJOR < 6
      #define hipDeviceProp_tR0000 hipDeviceProp_t
      #else
      #include <hip/hip_deprecated.h>
      #endif
      """;

  @TempDir private Path directory;

  @Test
  void oldLayout_isTheHeaders() {
    String program = HEADERS + main(print("hipDeviceProp_tR0000"));

    assertThat(offsets(program)).isEqualTo(text(PropertyLayout.R0000));
  }

  @Test
  void newLayout_isTheHeadersWhereTheyHaveIt() {
    String program =
        HEADERS
            + "#if HIP_VERSION_MAJOR < 6\n"
            + main("puts(\"older\");")
            + "#else\n"
            + main(print("hipDeviceProp_tR0600"))
            + "#endif\n";

    assertThat(offsets(program)).isIn(text(PropertyLayout.R0600), "older");
  }

  @Test
  void noLayout_isLargerThanTheBlock() {
    String sizes =
        "return sizeof(hipDeviceProp_t) > %1$d || sizeof(hipDeviceProp_tR0000) > %1$d;"
            .formatted(PropertyLayout.BLOCK_SIZE);

    assertThat(offsets(HEADERS + main(sizes))).isEmpty();
  }

  private static String main(String body) {
    return "int main(void) { " + body + " return 0; }\n";
  }

  private static String print(String type) {
    return Arrays.stream(FIELDS)
        .map(RecordComponent::getName)
        .map(name -> "printf(\"%s=%%zu\\n\", offsetof(%s, %s));".formatted(name, type, name))
        .collect(Collectors.joining());
  }

  private static String text(PropertyLayout layout) {
    String text = layout.toString();
    return text.substring(text.indexOf('[') + 1, text.length() - 1).replace(", ", "\n");
  }

  private String offsets(String program) {
    Path file = CCompiler.compile(directory.resolve("offsets"), program, "-std=gnu11");
    return CCompiler.run(List.of(file.toString()), Map.of()).strip();
  }
}
