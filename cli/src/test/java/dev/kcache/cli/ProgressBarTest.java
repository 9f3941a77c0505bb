// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.ProgressBar.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
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

  @Test
  void render_showsBarNumbersTimeAndWork() {
    Progress progress = new Progress(5, 1, 20, Duration.ofSeconds(95), "gfx90a saxpy.hip");

    assertThat(progress.render(80))
        .isEqualTo("[=======>                      ] 5/20, 1 failed, ETA 1m 35s  gfx90a saxpy.hip");
    for (int width = 0; width < 120; width++) {
      assertThat(progress.render(width)).hasSizeLessThanOrEqualTo(width);
    }
  }

  @Test
  void render_leavesOutWhatIsUnknownOrHasNoRoom() {
    Progress progress = new Progress(1, 0, 4, null, "");

    assertThat(progress.render(80)).isEqualTo("[=======>                      ] 1/4");
    assertThat(progress.render(12)).isEqualTo("1/4");
  }

  @Test
  void render_roundsTheTimeUpToSeconds() {
    assertThat(new Progress(3, 0, 4, Duration.ofMillis(1), "").render(80)).endsWith("ETA 1s");
    assertThat(new Progress(3, 0, 4, Duration.ofMillis(9001), "").render(80)).endsWith("ETA 10s");
  }

  private ProgressBar bar(int columns) {
    return new ProgressBar(new PrintStream(terminal, true, UTF_8), columns, () -> now);
  }

  private String drawn() {
    return terminal.toString(UTF_8);
  }
}
