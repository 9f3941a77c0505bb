// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Samples;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Measures several sides alternately, so that all see the same machine. Each round starts with
 * another side.
 *
 * @param rounds the number of measurements of each; at least 1
 * @param nanoTime a clock
 */
record Turns(int rounds, LongSupplier nanoTime) {
  /** Returns turns with a multiple of the rounds, for short work. */
  Turns times(int factor) {
    return new Turns(factor * rounds, nanoTime);
  }

  /** Returns the seconds of each side's rounds, by name. */
  Map<String, Samples> measure(List<Side> sides) {
    Map<String, List<Double>> seconds = new LinkedHashMap<>();
    sides.forEach(side -> seconds.put(side.name(), new ArrayList<>()));
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < sides.size(); i++) {
        Side side = sides.get((round + i) % sides.size());
        seconds.getOrDefault(side.name(), List.of()).add(time(side));
      }
    }
    Map<String, Samples> samples = new LinkedHashMap<>();
    seconds.forEach((name, figures) -> samples.put(name, new Samples(figures)));
    return samples;
  }

  private double time(Side side) {
    side.prepare().run();
    long begin = nanoTime.getAsLong();
    side.timed().run();
    double seconds = (nanoTime.getAsLong() - begin) / 1e9;
    side.check().run();
    return seconds;
  }

  /** Returns the difference between two sides, round by round. */
  static Samples over(Samples figure, Samples base) {
    List<Double> differences = new ArrayList<>();
    for (int i = 0; i < figure.rounds().size(); i++) {
      differences.add(figure.rounds().get(i) - base.rounds().get(i));
    }
    return new Samples(differences);
  }
}
