// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void render_showsBarNumbersTimeAndWork() {
    Progress progress = new Progress(5, 1, 20, Duration.ofSeconds(95), "gfx90a saxpy.hip");

    assertThat(progress.render(80))
        .isEqualTo("[=======>                      ] 5/20, 1 failed, ETA 1m 35s  gfx90a saxpy.hip");
  }

  @Test
  void render_saysNothingOfTimeBeforeItKnows() {
    assertThat(new Progress(0, 0, 4, null, "").render(80))
        .isEqualTo("[>                             ] 0/4");
  }

  @Test
  void render_isNeverWiderThanTheTerminal() {
    Progress progress = new Progress(12, 3, 400, Duration.ofHours(2), "gfx90a a-long-name.hip");

    for (int width = 0; width < 120; width++) {
      assertThat(progress.render(width)).hasSizeLessThanOrEqualTo(width);
    }
  }

  @Test
  void render_leavesTheBarOutWhereItHasNoRoom() {
    assertThat(new Progress(1, 0, 4, null, "").render(12)).isEqualTo("1/4");
  }

  @Test
  void render_roundsTheTimeUpToSeconds() {
    assertThat(new Progress(3, 0, 4, Duration.ofMillis(1), "").render(80)).endsWith("ETA 1s");
    assertThat(new Progress(3, 0, 4, Duration.ofMillis(9001), "").render(80)).endsWith("ETA 10s");
  }
}
