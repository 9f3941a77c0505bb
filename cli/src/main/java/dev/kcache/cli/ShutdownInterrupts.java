// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Interrupts by the signals that end the process: SIGINT, SIGTERM and SIGHUP. The JVM answers them
 * with its shutdown hooks and then exits with 128 and the signal's number, so with 130 for Ctrl-C;
 * all that is left to do is to hold it up, for a bounded time, while the command tidies up.
 */
final class ShutdownInterrupts implements Interrupts {
  // Long enough to end compilers and to print a summary, short enough not to look like a hang.
  private static final long DEADLINE_SECONDS = 10;

  @Override
  public Registration register(Runnable action) {
    CountDownLatch done = new CountDownLatch(1);
    Thread hook = new Thread(() -> interrupt(action, done), "kcache-interrupt");
    if (!add(hook)) {
      // A signal came before the work began, of which there is nothing to tell.
      parkForever();
    }
    return () -> {
      done.countDown();
      remove(hook);
    };
  }

  /**
   * Never returns once a signal has begun to end the process. On Java 17 a {@code System.exit}
   * after the last hook would end it first, with its own code instead of the signal's.
   */
  static void letSignalEndFirst() {
    if (!add(new Thread(() -> {}))) {
      parkForever();
    }
  }

  /** Returns whether the hook was added; if not, a signal is ending the process. */
  private static boolean add(Thread hook) {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private static void parkForever() {
    while (true) {
      LockSupport.park();
    }
  }

  private static void interrupt(Runnable action, CountDownLatch done) {
    if (done.getCount() == 0) {
      return;
    }
    action.run();
    try {
      boolean unused = done.await(DEADLINE_SECONDS, SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is running: the process is about to end, which is what it waits for.
    }
  }
}
