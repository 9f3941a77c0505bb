// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CompileOptionsTest {
  @Test
  void arguments_beginWithTheDefaults() {
    assertThat(CompileOptions.DEFAULT.arguments()).containsExactly("-O3", "-std=c++17");
    assertThat(CompileOptions.of("-DA=1", "-ffast-math", "-UA").arguments())
        .containsExactly("-O3", "-std=c++17", "-DA=1", "-ffast-math", "-UA");
  }

  @Test
  void arguments_replaceTheDefaultsByTheLastGiven() {
    assertThat(CompileOptions.of("-O1", "-DA", "-std=gnu++20", "-O2").arguments())
        .containsExactly("-O2", "-std=gnu++20", "-DA");
    assertThat(CompileOptions.of("-O3", "-std=c++17")).isEqualTo(CompileOptions.DEFAULT);
  }

  @Test
  void equality_dependsOnOrder() {
    assertThat(CompileOptions.of("-DA=1", "-DA=2"))
        .isEqualTo(CompileOptions.of("-DA=1", "-DA=2"))
        .hasSameHashCodeAs(CompileOptions.of("-DA=1", "-DA=2"))
        .isNotEqualTo(CompileOptions.of("-DA=2", "-DA=1"))
        .hasToString("-O3 -std=c++17 -DA=1 -DA=2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-O",
        "-O0",
        "-Os",
        "-Oz",
        "-Og",
        "-std=c++11",
        "-std=c++2b",
        "-std=gnu++23",
        "-DNAME",
        "-DNAME=",
        "-DNAME=a b; $(c) 'd' \"e\" \\f",
        "-DF(x, ...)=x",
        "-D_N=__FILE__",
        "-UNAME",
        "-ffast-math",
        "-fno-math-errno",
        "-ffp-contract=off",
        "-fgpu-flush-denormals-to-zero",
        "-fgpu-default-stream=per-thread",
        "-fno-gpu-rdc",
        "-funroll-loops",
        "-ffile-reproducible",
        "-fsanitize=undefined",
        "-fconstexpr-steps=100000",
        "-ftemplate-depth=2000",
        "-fvisibility=hidden",
        "-fno-exceptions",
        "-ferror-limit=0",
        "-fno-slp-vectorize",
        "-ffinite-math-only",
        "-mwavefrontsize64",
        "-mno-wavefrontsize64",
        "-mcumode",
        "-mno-cumode",
        "-munsafe-fp-atomics",
        "-mcode-object-version=4",
        "-mtgsplit",
        "-mamdgpu-ieee",
        "-mprintf-kind=hostcall",
        "-W",
        "-Wall",
        "-Wno-unused-variable",
        "-Werror=return-type",
        "-Wframe-larger-than=100",
        "-Wlarge-by-value-copy",
        "-Wpedantic",
        "-g",
        "-g0",
        "-ggdb",
        "-gline-tables-only",
        "-gdwarf-5",
        "-gz=zlib"
      })
  void option_isAllowed(String option) {
    assertThat(CompileOptions.of(option).arguments()).contains(option);
  }

  /** Each line: the options, separated by blanks, and the reason that all of them give. */
  @ParameterizedTest
  @CsvFileSource(resources = "refused-options.csv", delimiter = '|', quoteCharacter = '`')
  void option_isRefusedWithAReason(String options, String reason) {
    for (String option : options.split(" +", -1)) {
      assertThatIllegalArgumentException()
          .as(option)
          .isThrownBy(() -> CompileOptions.of("-O2", option))
          .withMessage("option " + option + " is not allowed: " + reason);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "-DX=__DATE__|__DATE__ gives what the key does not hold",
        "-DX=f(__TIME__)|__TIME__ gives what the key does not hold",
        "-DX=__TIMESTAMP__|__TIMESTAMP__ gives what the key does not hold",
        "-DHAS=__has_include|__has_include gives what the key does not hold",
        "-DX=asm(\".incbin 'f'\")|assembler code may not read files",
        "-DX=a\\|a value that ends in a backslash would take in the next line",
        "-DX=$(touch x).a|hipcc takes '.a' for its own; define it in the source",
        "-DX=--genco|hipcc takes '--genco' for its own; define it in the source",
        "-DX=b.lo|hipcc takes '.lo' for its own; define it in the source",
      })
  void define_isRefused(String option, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompileOptions.of(option))
        .withMessage("option " + option + " is not allowed: " + reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-DX=a\nb", "-DX=a\0", "-DX=\u00e9", "-Wall\t", "-DX=\u001b[0m"})
  void option_isRefusedUnlessPrintableAscii(String option) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompileOptions.of(option))
        .withMessage(
            "option "
                + option.replaceAll("[^ -~]", "?")
                + " is not allowed: only printable ASCII may stand in it; write other characters as"
                + " escapes in the source");
  }

  @Test
  void option_isRefusedWhenEmpty() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompileOptions.of(""))
        .withMessage("an option is empty; leave it out");
  }
}
