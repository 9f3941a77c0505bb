// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class CompilerLogTest {
  @Test
  void withUserNames_places_nameTheUsersFiles() {
    Map<String, String> names =
        Map.of("src/k/a.hip", "my $1 kernels/a.hip", "src/common.h", "my $1 kernels/../common.h");
    String log =
        """
        In file included from src/k/a.hip:2:
        src/k/../common.h:3:1: error: x
        ./src/k/a.hip:9:1: note: "src/k/a.hip" and src/k/a.hip:7
        inc0/src/k/a.hip:3:1: warning: not ours
        >>> referenced by src/k/a.hip:4
        """;

    assertThat(CompilerLog.withUserNames(log, names))
        .isEqualTo(
            """
            In file included from my $1 kernels/a.hip:2:
            my $1 kernels/../common.h:3:1: error: x
            my $1 kernels/a.hip:9:1: note: "src/k/a.hip" and src/k/a.hip:7
            inc0/src/k/a.hip:3:1: warning: not ours
            >>> referenced by my $1 kernels/a.hip:4
            """);
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
