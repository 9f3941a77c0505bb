// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
  private static final String ERASE = "\r\033[K";

  private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
  private long now;

  @Test
  void update_drawsAtMostTenTimesASecond() {
    ProgressBar bar = bar(20);

    for (now = 0; now < 1_000_000_000L; now += 10_000_000) {
      bar.update(new Progress(1, 0, 2, null, ""));
    }

    assertThat(drawn().split("\r", -1)).hasSize(1 + 10);
  }

  @Test
  void clear_leavesAnEmptyLine() {
    ProgressBar bar = bar(20);

    bar.update(new Progress(1, 0, 2, null, ""));
    bar.clear();

    assertThat(drawn()).isEqualTo(ERASE + "[======>      ] 1/2" + ERASE);
  }

  @Test
  void clear_writesNothingWhereNothingIsDrawn() {
    bar(20).clear();

    assertThat(drawn()).isEmpty();
  }

  @Test
  void update_drawsAtOnceAfterALineWasPrinted() {
    ProgressBar bar = bar(10);

    bar.update(new Progress(1, 0, 2, null, ""));
    bar.clear();
    bar.update(new Progress(2, 0, 2, null, ""));

    assertThat(drawn()).isEqualTo(ERASE + "1/2" + ERASE + ERASE + "2/2");
  }

  @Test
  void update_writesNothingWithoutATerminal() {
    ProgressBar bar = bar(0);

    bar.update(new Progress(1, 0, 2, null, ""));
    bar.clear();

    assertThat(drawn()).isEmpty();
  }

  private ProgressBar bar(int columns) {
    return new ProgressBar(new PrintStream(terminal, true, UTF_8), columns, () -> now);
  }

  private String drawn() {
    return terminal.toString(UTF_8);
  }
}
