// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Chooses how to launch: one way at first, and a faster one, which takes tens of milliseconds to
 * make, once a program has launched often enough to gain by it. A thread of its own makes that, so
 * that no launch waits.
 *
 * <p>Safe for use by any number of threads.
 */
final class LauncherChoice {
  /** A launch takes microseconds: a program with fewer gains nothing. */
  static final int LAUNCHES = 1000;

  private final Supplier<Optional<KernelLauncher>> faster;
  private final AtomicBoolean begun = new AtomicBoolean();

  // Of several threads any may lose a count, and any may see the old way; both ways are right.
  private int launches;
  private KernelLauncher way;

  /**
   * Creates a choice.
   *
   * @param first launches at first
   * @param faster makes the faster way, if there is one; called once at most
   */
  LauncherChoice(KernelLauncher first, Supplier<Optional<KernelLauncher>> faster) {
    this.way = first;
    this.faster = faster;
  }

  /** Returns how to make the next launch. */
  KernelLauncher next() {
    if (launches < LAUNCHES && ++launches == LAUNCHES && begun.compareAndSet(false, true)) {
      begin();
    }
    return way;
  }

  private void begin() {
    Runnable make = () -> faster.get().ifPresent(made -> way = made);
    Thread thread = new Thread(null, make, "kcache-link", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      System.getLogger(LauncherChoice.class.getName())
          .log(Level.DEBUG, "no thread to make launches faster on", e);
    }
  }
}
