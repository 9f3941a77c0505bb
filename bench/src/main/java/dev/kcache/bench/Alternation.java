// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Measures kcache and C alternately, so that both see the same machine, whose clocks, heat and
 * other users change from second to second. The first of the two alternates as well.
 *
 * @param rounds the number of measurements of each; at least 1
 */
record Alternation(int rounds) {
  /** One of the two sides. */
  interface Side {
    /** Measures once and returns the figures, the same number each time. */
    List<Double> measure();
  }

  /**
   * Measures kcache, and C if available; returns a comparison for each of kcache's figures. C may
   * have fewer.
   */
  List<Comparison> compare(Side kcache, Optional<Side> c) {
    List<List<Double>> ours = new ArrayList<>();
    List<List<Double>> theirs = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      if (round % 2 == 0) {
        ours.add(kcache.measure());
      }
      c.ifPresent(side -> theirs.add(side.measure()));
      if (round % 2 != 0) {
        ours.add(kcache.measure());
      }
    }
    return IntStream.range(0, ours.get(0).size())
        .mapToObj(figure -> comparison(ours, theirs, figure))
        .toList();
  }

  private static Comparison comparison(
      List<List<Double>> ours, List<List<Double>> theirs, int figure) {
    boolean both = !theirs.isEmpty() && figure < theirs.get(0).size();
    return new Comparison(
        samples(ours, figure), both ? Optional.of(samples(theirs, figure)) : Optional.empty());
  }

  private static Samples samples(List<List<Double>> rounds, int figure) {
    return new Samples(rounds.stream().map(figures -> figures.get(figure)).toList());
  }
}
