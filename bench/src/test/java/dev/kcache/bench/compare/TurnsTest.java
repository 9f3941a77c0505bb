// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.bench.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private final List<String> events = new ArrayList<>();
  private long now;

  private Side side(String name, long seconds) {
    return new Side(
        name,
        () -> pass("prepare " + name, 100),
        () -> pass(name, seconds),
        () -> pass("check " + name, 1000));
  }

  private void pass(String event, long seconds) {
    events.add(event);
    now += seconds * 1_000_000_000;
  }

  @Test
  void onlyTheTimedPart_counts() {
    Map<String, Samples> seconds =
        new Turns(2, () -> now).measure(List.of(side("a", 3), side("b", 7)));

    assertThat(seconds)
        .containsExactly(
            Map.entry("a", new Samples(List.of(3.0, 3.0))),
            Map.entry("b", new Samples(List.of(7.0, 7.0))));
  }

  @Test
  void whoBegins_changes() {
    Map<String, Samples> unused =
        new Turns(3, () -> now).measure(List.of(side("a", 1), side("b", 1), side("c", 1)));

    assertThat(events.stream().filter(event -> event.length() == 1))
        .containsExactly("a", "b", "c", "b", "c", "a", "c", "a", "b");
    assertThat(events.subList(0, 3)).containsExactly("prepare a", "a", "check a");
  }

  @Test
  void over_isTakenRoundByRound() {
    Samples over =
        Turns.over(new Samples(List.of(5.0, 9.0, 30.0)), new Samples(List.of(4.0, 7.0, 10.0)));

    assertThat(over.rounds()).containsExactly(1.0, 2.0, 20.0);
    assertThat(over.median()).isEqualTo(2, Offset.offset(0.0));
    assertThat(over.least()).isEqualTo(1);
    assertThat(over.greatest()).isEqualTo(20);
  }
}
