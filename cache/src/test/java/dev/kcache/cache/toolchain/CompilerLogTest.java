// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CompilerLogTest {
  @Test
  void withUserNames_diagnostic_namesTheUsersFile() {
    String log =
        "In file included from src/a.hip:2:\ninc/src/a.hip:3: x\n\"src/a.hip\"\n./src/a.hip:9:1: y";

    assertThat(CompilerLog.withUserNames(log, "src/a.hip", "my $1 kernels/a.hip"))
        .isEqualTo(
            "In file included from my $1 kernels/a.hip:2:\n"
                + "inc/src/a.hip:3: x\n\"src/a.hip\"\nmy $1 kernels/a.hip:9:1: y");
  }

  @Test
  void firstError_warningsBefore_isTheError() {
    assertThat(CompilerLog.firstError("a.hip:1:1: warning: w\na.hip:2:2: fatal error: e\nb"))
        .contains("a.hip:2:2: fatal error: e");
  }

  @Test
  void firstError_linker_isItsLine() {
    assertThat(CompilerLog.firstError("lld: error: undefined hidden symbol: f\n"))
        .contains("lld: error: undefined hidden symbol: f");
  }

  @Test
  void firstError_none_isEmpty() {
    assertThat(CompilerLog.firstError("a.hip:1:1: warning: w\n")).isEmpty();
  }
}
