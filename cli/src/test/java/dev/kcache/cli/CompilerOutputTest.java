// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CompilerOutputTest {
  @Test
  void withoutClosing_countAndCommand_areGone() {
    String log =
        """
        k.hip:4:36: error: unknown type name 'half4'
            4 | half4 x;
              | ^
        1 warning and 2 errors generated when compiling for gfx90a.
        failed to execute:/usr/bin/clang++  --offload-arch=gfx90a k.hip
        """;

    assertThat(CompilerOutput.withoutClosing(log))
        .isEqualTo("k.hip:4:36: error: unknown type name 'half4'\n    4 | half4 x;\n      | ^");
  }

  @Test
  void withoutClosing_linker_keepsItsOwnWords() {
    assertThat(
            CompilerOutput.withoutClosing(
                """
                lld: error: undefined hidden symbol: f

                lld: error: undefined hidden symbol: g
                clang: error: amdgcn-link command failed with exit code 1 (use -v to see invocation)
                """))
        .isEqualTo(
            "lld: error: undefined hidden symbol: f\n\nlld: error: undefined hidden symbol: g");
  }

  @Test
  void withoutClosing_sameWordsInTheMiddle_stay() {
    String log = "k.hip:1:1: error: x\n1 error generated.\n^";

    assertThat(CompilerOutput.withoutClosing(log)).isEqualTo(log);
  }

  @Test
  void withoutClosing_nothingElse_isAllOfIt() {
    assertThat(CompilerOutput.withoutClosing("\n1 error generated.\n"))
        .isEqualTo("\n1 error generated.");
    assertThat(CompilerOutput.withoutClosing(" \n")).isEmpty();
  }
}
