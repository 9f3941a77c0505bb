// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheUsage.Day;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** The requests of the last days as a line of bars, for a terminal. */
final class Sparkline {
  /** How many days are shown, today included. */
  static final int DAYS = 14;

  private static final String BARS = "▁▂▃▄▅▆▇█";

  /** A day without a request. */
  private static final char NONE = '·';

  private Sparkline() {}

  /** Returns a bar for each day up to today (UTC) and the hit rate; empty without a request. */
  static Optional<String> of(List<Day> days, Instant now) {
    LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    long[] requests = new long[DAYS];
    long hits = 0;
    long all = 0;
    for (Day day : days) {
      long age = today.toEpochDay() - day.date().toEpochDay();
      if (age >= 0 && age < DAYS) {
        int index = DAYS - 1 - (int) age;
        requests[index] += day.hits() + day.misses();
        hits += day.hits();
        all += day.hits() + day.misses();
      }
    }
    return all == 0
        ? Optional.empty()
        : Optional.of(bars(requests) + "  hit rate " + Text.percent(hits, all));
  }

  private static String bars(long[] requests) {
    long most = 0;
    for (long count : requests) {
      most = Math.max(most, count);
    }
    StringBuilder bars = new StringBuilder();
    for (long count : requests) {
      bars.append(count == 0 ? NONE : BARS.charAt((int) ((BARS.length() - 1) * count / most)));
    }
    return bars.toString();
  }
}
