// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AlternationTest {
  private final List<String> order = new ArrayList<>();

  private Alternation.Side side(String name, Double... figures) {
    return () -> {
      order.add(name);
      return List.of(figures);
    };
  }

  @Test
  void whoBegins_changesFromRoundToRound() {
    List<Comparison> unused =
        new Alternation(3).compare(side("kcache", 1.0), Optional.of(side("C", 2.0)));

    assertThat(order).containsExactly("kcache", "C", "C", "kcache", "kcache", "C");
  }

  @Test
  void eachFigure_isComparedWithCsOfTheSamePlace() {
    List<Comparison> figures =
        new Alternation(2).compare(side("kcache", 1.0, 2.0, 3.0), Optional.of(side("C", 4.0, 8.0)));

    assertThat(figures)
        .containsExactly(
            new Comparison(samples(1), Optional.of(samples(4))),
            new Comparison(samples(2), Optional.of(samples(8))),
            new Comparison(samples(3), Optional.empty()));
  }

  @Test
  void withoutC_figuresStandAlone() {
    assertThat(new Alternation(2).compare(side("kcache", 1.0), Optional.empty()))
        .containsExactly(new Comparison(samples(1), Optional.empty()));
  }

  private static Samples samples(double figure) {
    return new Samples(List.of(figure, figure));
  }
}
