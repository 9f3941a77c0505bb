// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CommandTest {
  private static Command sh(String script) {
    return new Command(List.of("/bin/sh", "-c", script), Map.of("WORD", "seen"));
  }

  @Test
  void output_isThatOfBothStreams_inTheGivenEnvironment() {
    assertThat(sh("echo $WORD; echo $HOME. >&2").run()).isEqualTo("seen\n.\n");
  }

  @Test
  void failure_isToldWithTheLastLine() {
    assertThatThrownBy(() -> sh("echo first; echo last; exit 4").run())
        .isInstanceOf(CommandFailedException.class)
        .hasMessageStartingWith("exit code 4 of '/bin/sh -c ")
        .hasMessageEndingWith(": last");
  }

  @Test
  void noSuchProgram_isNamed() {
    assertThatThrownBy(() -> new Command(List.of("/there/is/none"), Map.of()).run())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("'/there/is/none' could not be run");
  }

  @Test
  void number_hasToBeTheExpectedOne() {
    Pattern hits = Pattern.compile("Cache hits +(\\d+)");
    Checks.number("Cache hits    12\n", hits, 12);
    assertThatThrownBy(() -> Checks.number("Cache hits    11\n", hits, 12))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageEndingWith("told 11");
    assertThatThrownBy(() -> Checks.number("", hits, 12))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageEndingWith("told no");
  }
}
