// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How far a run has come.
 *
 * @param done tasks that have ended
 * @param failed those of them that failed
 * @param total all tasks
 * @param remaining how long the rest should take, if there is anything to judge it by
 * @param current what is being worked on; empty if nothing is
 */
record Progress(int done, int failed, int total, @Nullable Duration remaining, String current) {
  private static final int WIDEST_BAR = 30;
  private static final int NARROWEST_BAR = 8;

  /** Returns one line of at most {@code width} characters. */
  String render(int width) {
    String numbers = numbers();
    int room = Math.min(WIDEST_BAR, width - numbers.length() - 3);
    String line = room < NARROWEST_BAR ? numbers : bar(room) + " " + numbers;
    if (!current.isEmpty()) {
      line += "  " + current;
    }
    return line.length() <= width ? line : line.substring(0, Math.max(width, 0));
  }

  private String numbers() {
    String numbers = String.format(Locale.ROOT, "%d/%d", done, total);
    if (failed > 0) {
      numbers += ", " + failed + " failed";
    }
    return remaining == null ? numbers : numbers + ", ETA " + eta(remaining);
  }

  // Rounded up to seconds: tenths would flicker, and "0 s" reads as done.
  private static String eta(Duration remaining) {
    long seconds = Math.max(1, remaining.plusMillis(999).toSeconds());
    return seconds < 60 ? seconds + "s" : Text.duration(Duration.ofSeconds(seconds));
  }

  private String bar(int width) {
    int filled = total == 0 ? width : (int) ((long) done * width / total);
    String head = filled < width ? ">" : "";
    return "[" + "=".repeat(filled) + head + " ".repeat(width - filled - head.length()) + "]";
  }
}
