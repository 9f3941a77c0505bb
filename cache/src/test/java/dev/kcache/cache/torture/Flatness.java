// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import java.util.ArrayList;
import java.util.List;

/**
 * Something that is measured again and again, and may not grow: the median of the last third of the
 * samples is at most a tenth, and a constant, above the median of the first third. The first fifth
 * of all is passed over, in which classes are loaded and pools filled.
 */
final class Flatness {
  private static final int WARM_UP = 5;
  private static final int THIRDS = 3;
  private static final int TENTHS = 10;

  private final String name;
  private final long slack;
  private final List<Long> samples = new ArrayList<>();

  /** Returns one without samples; {@code slack} is how much more is always permitted. */
  Flatness(String name, long slack) {
    this.name = name;
    this.slack = slack;
  }

  void add(long sample) {
    samples.add(sample);
  }

  private long first() {
    List<Long> warm = warm();
    return median(warm.subList(0, warm.size() / THIRDS));
  }

  private long last() {
    List<Long> warm = warm();
    return median(warm.subList(warm.size() - warm.size() / THIRDS, warm.size()));
  }

  private List<Long> warm() {
    return samples.subList(samples.size() / WARM_UP, samples.size());
  }

  private static long median(List<Long> samples) {
    return samples.stream().sorted().skip(samples.size() / 2).findFirst().orElseThrow();
  }

  boolean isFlat() {
    return last() <= first() + first() / TENTHS + slack;
  }

  @Override
  public String toString() {
    return "%s %d to %d (%d samples)".formatted(name, first(), last(), samples.size());
  }
}
