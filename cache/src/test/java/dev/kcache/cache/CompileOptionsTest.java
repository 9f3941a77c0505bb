// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
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
  @ValueSource(strings = {"-DNAME=a b; $(c) 'd' \"e\" \\f", "-DF(x, ...)=x"})
  @MethodSource("allowed")
  void option_isAllowed(String option) {
    assertThat(CompileOptions.of(option).arguments()).contains(option);
  }

  static Stream<String> allowed() {
    return Stream.of(
        """
        -O -O0 -Os -Oz -Og -std=c++11 -std=c++2b -std=gnu++23 -DNAME -DNAME= -D_N=__FILE__
        -UNAME -ffast-math -fno-math-errno -ffp-contract=off -fgpu-flush-denormals-to-zero
        -fgpu-default-stream=per-thread -fno-gpu-rdc -funroll-loops -ffile-reproducible
        -fsanitize=undefined -fconstexpr-steps=100000 -ftemplate-depth=2000
        -fvisibility=hidden -fno-exceptions -ferror-limit=0 -fno-slp-vectorize
        -ffinite-math-only -Qunused-arguments -pthread -pipe -m64 -mwavefrontsize64
        -mno-wavefrontsize64 -mcumode -mno-cumode -munsafe-fp-atomics
        -mcode-object-version=4 -mtgsplit -mamdgpu-ieee -mprintf-kind=hostcall -W -Wall
        -Wno-unused-variable -Werror=return-type -Wframe-larger-than=100
        -Wlarge-by-value-copy -Wpedantic -w -pedantic -pedantic-errors
        -Rpass-analysis=kernel-resource-usage --gpu-max-threads-per-block=256
        -foffload-uniform-block -fno-offload-uniform-block -DX=__DATE__ -g -g0 -ggdb
        -gline-tables-only -gdwarf-5 -gz=zlib"""
            .split("\\s+"));
  }

  @ParameterizedTest
  @MethodSource("llvmOptions")
  void llvmOption_followsItsFlag(String option) {
    List<String> expected = List.of("-O3", "-std=c++17", "-DA", "-mllvm", option, "-DB");

    assertThat(CompileOptions.of("-DA", "-mllvm", option, "-DB").arguments()).isEqualTo(expected);
    assertThat(CompileOptions.of("-DA", "-mllvm=" + option, "-DB").arguments()).isEqualTo(expected);
    assertThat(CompileOptions.of("-DA", "-mllvm -" + option, "-DB").arguments())
        .isEqualTo(expected);
  }

  static Stream<String> llvmOptions() {
    return Stream.of(
        """
        -amdgpu-early-inline-all=true -amdgpu-function-calls=false
        -amdgpu-kernarg-preload-count=16 -amdgpu-sched-strategy=max-ilp
        -amdgpu-coerce-illegal-types=1 -amdgpu-long-branch-factor=1.5 -enable-aa-sched-mi
        -enable-amdgpu-aa=false -enable-ipra=0 -enable-noalias-to-md-conversion=0 -enable-post-misched=0
        -join-globalcopies=true -join-splitedges=true -memdep-block-scan-limit=500 -schedmodel=0
        -greedy-reverse-local-assignment=1 -lsr-drop-solution=1 -inline-threshold=10000
        -unroll-threshold=1000 -misched-bottomup -slp-threshold=-32
        -structurizecfg-skip-uniform-regions=true"""
            .split("\\s+"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-stats-output-file=x",
        "-info-output-file=x",
        "-load=x.so",
        "-amdgpu-dump-hsa-metadata",
        "-amdgpu-module-splitting-print-module-dotcfg=x",
        "-regalloc-evict-interactive-channel-base=x",
        "-print-after-all",
        "-misched-dump-schedule-trace",
        "-time-passes",
        "-o"
      })
  void llvmOption_isRefusedUnlessItIsOnTheList(String option) {
    String reason =
        " is not allowed: of LLVM's own options only those serve that decide how code is made, such"
            + " as -amdgpu-early-inline-all=true; others may read or write files";

    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompileOptions.of("-mllvm", option))
        .withMessage("option -mllvm " + option + reason);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompileOptions.of("-mllvm=" + option))
        .withMessage("option -mllvm=" + option + reason);
  }

  @Test
  void llvmOption_hasToBeOne() {
    for (List<String> options :
        List.of(
            List.of("-mllvm"),
            List.of("-mllvm", "amdgpu-x"),
            List.of("-mllvm-stats-output-file=x"),
            List.of("-mllvm-amdgpu-early-inline-all=true"),
            List.of("-mllvmx"),
            List.of("-mllvm", "-amdgpu-x=/tmp/y"),
            List.of("-mllvm", "-amdgpu-x=a b"),
            List.of("-mllvm", ""))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CompileOptions.of(options))
          .withMessageEndingWith(" is not allowed: write it as -mllvm -NAME=VALUE");
    }
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
