// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.standin.Options;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of options that a kernel may have. */
class NvccOptionsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-O0                 | -O0 -Xptxas=-O0",
        "-O                  | -O1 -Xptxas=-O1",
        "-O3                 | -O3 -Xptxas=-O3",
        "-std=c++17          | -std=c++17",
        "-std=gnu++20        | -std=c++20",
        "-std=c++0x          | -std=c++11",
        "-std=gnu++1z        | -std=c++17",
        "-std=c++2a          | -std=c++20",
        "-std=c++2b          | -std=c++23",
        "-std=c++26          | -std=c++26",
        "-DN                 | -DN",
        "-DTEXT=\"a 'b'\"    | -DTEXT=\"a 'b'\"",
        "-DPAIR(a, b)=f(b,a) | -DPAIR(a\\, b)=f(b\\,a)",
        "-UN                 | -UN",
        "-Werror             | --Werror=all-warnings",
        "-Wall               | ''",
        "-Werror=unused      | ''",
        "-Wno-unused         | ''",
        "-ffast-math         | --use_fast_math",
        "-fno-fast-math      | ''",
        "-ffp-contract=off   | --fmad=false",
        "-ffp-contract=on    | --fmad=true",
        "-ffp-contract=fast  | --fmad=true",
      })
  void translate_counterpartOrNoneNeeded_isThat(String option, String expected) {
    List<String> allowed = Options.of(option);
    assertThat(allowed).contains(option);

    assertThat(NvccOptions.objection(allowed)).isEmpty();
    assertThat(String.join(" ", NvccOptions.translate(List.of(option)))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-Og",
        "-Os",
        "-Oz",
        "-g",
        "-g1",
        "-ggdb",
        "-mwavefrontsize64",
        "-mcumode",
        "-munsafe-fp-atomics",
        "-mcode-object-version=5",
        "-fno-strict-aliasing",
        "-funroll-loops",
        "-ffp-contract=fast-honor-pragmas",
        "-fgpu-flush-denormals-to-zero",
      })
  void objection_noCounterpart_namesTheOption(String option) {
    List<String> allowed = Options.of("-O3", option, "-DN");

    assertThat(NvccOptions.objection(allowed))
        .contains(
            "nvcc is given no "
                + option
                + ", whose meaning is clang's; leave it away for NVIDIA's targets");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-DX=$(rm -rf .)", "-DX=`id`", "-DX=\"\\t\"", "-DX(a)=$a"})
  void objection_valueThatTheShellWouldChange_namesTheOption(String option) {
    assertThat(NvccOptions.objection(Options.of(option)))
        .contains(
            "nvcc would give "
                + option
                + " to a shell, which changes $, ` and \\; define it in the source instead");
  }

  @Test
  void translate_severalOptions_keepTheirOrder() {
    assertThat(NvccOptions.translate(List.of("-DA=1", "-UA", "-Wall", "-DA=2", "-O2")))
        .containsExactly("-DA=1", "-UA", "-DA=2", "-O2", "-Xptxas=-O2");
  }
}
