// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Calls a listener, whose faults are none of the requests': what it throws is logged, the first
 * time, and a task that its context does not run is run without.
 *
 * <p>Safe for use by any number of threads.
 */
final class GuardedListener implements CacheListener {
  private final CacheListener listener;
  private final AtomicBoolean warned = new AtomicBoolean();

  GuardedListener(CacheListener listener) {
    this.listener = listener;
  }

  @Override
  public void onEvent(CacheEvent event) {
    try {
      listener.onEvent(event);
    } catch (Throwable e) {
      warn(e);
    }
  }

  @Override
  public Executor context() {
    Executor context;
    try {
      context = listener.context();
    } catch (Throwable e) {
      warn(e);
      return Runnable::run;
    }
    return task -> {
      FutureTask<Void> once = new FutureTask<>(task, null);
      try {
        context.execute(once);
      } catch (Throwable e) {
        warn(e);
      }
      once.run();
    };
  }

  /** An {@link Error} is the listener's own problem, too: a failed assertion, a missing class. */
  private void warn(Throwable failure) {
    if (warned.compareAndSet(false, true)) {
      System.getLogger(GuardedListener.class.getName())
          .log(
              Level.WARNING, "a cache listener failed; further failures are not reported", failure);
    }
  }
}
