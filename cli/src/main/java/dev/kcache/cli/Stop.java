// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.function.BooleanSupplier;

/** A request to stop a removal: an interrupt runs it, the removal polls it. */
final class Stop implements Runnable, BooleanSupplier {
  /** Follows the report of what was removed. */
  static final String MESSAGE = "interrupted; run it again to remove the rest";

  private volatile boolean wanted;

  @Override
  public void run() {
    wanted = true;
  }

  @Override
  public boolean getAsBoolean() {
    return wanted;
  }
}
