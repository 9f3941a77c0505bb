// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SummaryTest {
  private static final Task TASK = Fixtures.task("a.hip");

  @Test
  void line_countsWhatHappened() {
    List<Outcome> outcomes =
        List.of(
            Fixtures.outcome(TASK, Origin.MEMORY, Duration.ofSeconds(2)),
            Fixtures.outcome(TASK, Origin.DISK, Duration.ofSeconds(3)),
            Fixtures.outcome(TASK, Origin.COMPILED, Duration.ofSeconds(70)),
            Outcome.failed(TASK, new IllegalStateException()));

    assertThat(summary(outcomes, 6).line(Duration.ofMillis(80_500)))
        .isEqualTo("2 hits, 1 compiled, 1 failed, 2 not done; 5.0 s saved, 10.4 kB, in 1m 20s");
  }

  @Test
  void line_ofADryRunSaysWhatIsToCompile() {
    List<Outcome> outcomes = List.of(Outcome.ofLookup(TASK, Optional.empty()));

    assertThat(summary(outcomes, 1).line(Duration.ZERO))
        .isEqualTo("0 hits, 0 compiled, 1 to compile, 0 failed; 0 ms saved, 0 B, in 0 ms");
  }

  @Test
  void notKept_countsOnlyWhatCouldHaveBeenKept() {
    CacheResult lost =
        new CacheResult(
            Fixtures.codeObject(TASK.target()),
            Origin.COMPILED,
            Duration.ZERO,
            "",
            false,
            Map.of());
    List<Outcome> outcomes =
        List.of(Outcome.of(TASK, lost), Outcome.failed(TASK, new IllegalStateException()));

    assertThat(summary(outcomes, 2).notKept()).isEqualTo(1);
  }

  private static Summary summary(List<Outcome> outcomes, int total) {
    Summary summary = new Summary(total);
    outcomes.forEach(summary::add);
    return summary;
  }
}
