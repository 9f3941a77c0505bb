// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExitCodeTest {
  @Test
  void worse_isTheOneToActOnFirst() {
    List<Integer> rising =
        List.of(
            ExitCode.OK,
            ExitCode.UNAVAILABLE,
            ExitCode.FAILED,
            ExitCode.USAGE,
            ExitCode.INTERRUPTED);

    for (int i = 0; i < rising.size(); i++) {
      for (int j = 0; j < rising.size(); j++) {
        assertThat(ExitCode.worse(rising.get(i), rising.get(j)))
            .isEqualTo(rising.get(Math.max(i, j)));
      }
    }
  }
}
