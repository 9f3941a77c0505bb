// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Ends an interval when a test says so. */
final class ManualTimer implements Executor {
  private final List<Runnable> waiting = new ArrayList<>();

  @Override
  public synchronized void execute(Runnable task) {
    waiting.add(task);
  }

  synchronized boolean isRunning() {
    return !waiting.isEmpty();
  }

  synchronized void passInterval() {
    List<Runnable> due = List.copyOf(waiting);
    waiting.clear();
    due.forEach(Runnable::run);
  }
}
