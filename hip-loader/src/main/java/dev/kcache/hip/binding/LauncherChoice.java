// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Chooses how to launch: with one launcher at first, and with a faster one, which takes tens of
 * milliseconds to create, once a program has launched often enough to benefit. A background thread
 * creates it, so that no launch waits.
 *
 * <p>Safe for use by any number of threads.
 */
final class LauncherChoice {
  /** A launch takes microseconds: a program with fewer launches gains nothing. */
  static final int LAUNCHES = 1000;

  private final Supplier<Optional<KernelLauncher>> faster;
  private final AtomicBoolean begun = new AtomicBoolean();

  // Threads may lose counts or see the old launcher, which is as right.
  private int launches;
  private KernelLauncher way;

  /**
   * Creates a choice.
   *
   * @param first the launcher to start with
   * @param faster creates the faster launcher, if there is one; called at most once
   */
  LauncherChoice(KernelLauncher first, Supplier<Optional<KernelLauncher>> faster) {
    this.way = first;
    this.faster = faster;
  }

  /** Returns the launcher for the next launch. */
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
