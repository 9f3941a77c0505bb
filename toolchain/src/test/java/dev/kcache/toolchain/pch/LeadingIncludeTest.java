// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a source begins with, by the rules of the preprocessor. */
class LeadingIncludeTest {
  private static final String HEADER = "hip/hip_runtime.h";
  private static final String INCLUDE = "#include <hip/hip_runtime.h>\n";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n\r\n \t",
        "// A kernel.\n//\n",
        "/* Copyright\n * #define NDEBUG\n */\n",
        "/**/ /* two */ // and one\n",
        "// the letter \\ in between\n",
      })
  void of_blanksAndComments_areNoTokens(String before) {
    assertThat(leading(before + INCLUDE)).contains(HEADER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#include<hip/hip_runtime.h>\r\n",
        "#  include\t<hip/hip_runtime.h> // HIP\n",
        "#include <hip/hip_runtime.h>\nint x;",
      })
  void of_otherSpelling_isTheSameInclude(String source) {
    assertThat(leading(source)).contains(HEADER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "#define NDEBUG\n" + INCLUDE,
        "#undef NDEBUG\n" + INCLUDE,
        "#pragma once\n" + INCLUDE,
        "#ifdef X\n" + INCLUDE + "#endif\n",
        "int x;\n" + INCLUDE,
        "\"\" // \n" + INCLUDE,
        "// goes on \\\n" + INCLUDE,
        "// goes on \\ \n" + INCLUDE,
        "// goes on ??/\n" + INCLUDE,
        "/* ends *\\\n/ #define NDEBUG\n/* */" + INCLUDE,
        "/* ends *??/\n/ #define NDEBUG\n/* */" + INCLUDE,
        "// ends \r#define NDEBUG\n" + INCLUDE,
        "/* never ends\n" + INCLUDE,
        "#include <hip/hip_runtime.h> \\\n",
        "#include <hip/hip_runtime.h> /* and\n */\n",
        "#include <hip/hip_runtime.h> x\n",
        "#include <hip/hip_runtime.h>",
        "#include \"hip/hip_runtime.h\"\n",
        "#include HEADER\n",
        "#include_next <hip/hip_runtime.h>\n",
        "%:include <hip/hip_runtime.h>\n",
        "\ufeff" + INCLUDE,
        "// only a comment",
      })
  void of_anythingElse_isNone(String source) {
    assertThat(leading(source)).isEmpty();
  }

  @Test
  void of_longComments_takesLinearTime() {
    assertThat(leading("// a line\n".repeat(1_000_000) + INCLUDE)).contains(HEADER);
  }

  private static java.util.Optional<String> leading(String source) {
    return LeadingInclude.of(UTF_8.encode(source));
  }
}
