// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.io.PrintStream;
import java.util.function.LongSupplier;

/**
 * A line at the bottom of a terminal that is drawn over and over; nothing at all elsewhere. Not
 * safe for use by several threads.
 */
final class ProgressBar {
  /** What takes away whatever the line that the cursor is in shows. */
  static final String ERASE_LINE = "\r\033[K";

  private static final long INTERVAL_NANOS = 100_000_000;

  private final PrintStream terminal;
  private final int columns;
  private final LongSupplier nanoTime;
  private long drawnAt;
  private boolean drawn;

  /** Creates a bar on a terminal with that many columns; 0 columns mean that it is none. */
  ProgressBar(PrintStream terminal, int columns, LongSupplier nanoTime) {
    this.terminal = terminal;
    this.columns = columns;
    this.nanoTime = nanoTime;
    this.drawnAt = nanoTime.getAsLong() - INTERVAL_NANOS;
  }

  /** Draws the progress, unless it was drawn a moment ago. */
  void update(Progress progress) {
    if (columns > 0 && nanoTime.getAsLong() - drawnAt >= INTERVAL_NANOS) {
      // The last column stays free: some terminals wrap when it is written.
      terminal.print(ERASE_LINE + progress.render(columns - 1));
      terminal.flush();
      drawnAt = nanoTime.getAsLong();
      drawn = true;
    }
  }

  /** Removes the bar, so that a line can be printed; the next update draws it again. */
  void clear() {
    if (drawn) {
      terminal.print(ERASE_LINE);
      terminal.flush();
      drawn = false;
      drawnAt = nanoTime.getAsLong() - INTERVAL_NANOS;
    }
  }
}
