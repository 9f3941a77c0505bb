// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.function.BooleanSupplier;

/** The user's wish to end a removal: run by whoever hears of it, asked by whoever removes. */
final class Stop implements Runnable, BooleanSupplier {
  /** What the user is told besides what was removed. */
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
