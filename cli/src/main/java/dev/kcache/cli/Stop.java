// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;

/** A request to stop a removal: an interrupt makes it, the removal polls it. */
final class Stop implements BooleanSupplier {
  private volatile boolean wanted;

  private Stop() {}

  /**
   * Runs a removal that the user can interrupt; returns its exit code, or that of an interrupt once
   * it has reported what was removed.
   */
  static int during(CliContext context, ToIntFunction<Stop> removal) {
    Stop stop = new Stop();
    Interrupts.Registration interrupts = context.interrupts().register(() -> stop.wanted = true);
    try {
      int exitCode = removal.applyAsInt(stop);
      if (!stop.wanted) {
        return exitCode;
      }
      context.problem("interrupted; run it again to remove the rest");
      return ExitCode.INTERRUPTED;
    } finally {
      interrupts.close();
    }
  }

  @Override
  public boolean getAsBoolean() {
    return wanted;
  }
}
