// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.concurrent.Executor;

/**
 * Hears what a cache does: hits, misses, compiles, loads, evictions.
 *
 * <pre>{@code
 * CacheManager cache =
 *     CacheManager.builder()
 *         .listener(
 *             event -> {
 *               if (event instanceof CacheEvent.CompileStarted started) {
 *                 System.err.println("compiling " + started.source());
 *               }
 *             })
 *         .build();
 * }</pre>
 *
 * <p><b>Threads.</b> Called at once, by the thread that did the work: a hit in memory on the thread
 * that asks, a compile on the thread that compiles, its beginning and its end on the same one. So
 * several threads call it at a time. For one request the calls come in order, and before anybody
 * gets the result. Of several requests that wait for one compile or load, only the one that caused
 * it has it told.
 *
 * <p><b>What it may do.</b> No lock is held while it is called, but requests wait for it, so it
 * must be quick. It may close the manager. It must not wait for a request, which may be the one
 * that waits for it. What it throws, errors too, is logged the first time and harms nobody.
 */
@FunctionalInterface
public interface CacheListener {
  /**
   * Hears of an event.
   *
   * @param event what happened
   */
  void onEvent(CacheEvent event);

  /**
   * Returns what runs tasks at once, on the thread that hands them over, in the context of the
   * thread that calls this method, such as the span that is current on it. Called by the thread
   * that makes a request, where the request continues on a thread of the manager's: so what is
   * heard there is heard in the context of the caller. Only tracers need it.
   *
   * @return the executor; by default one that runs tasks as they are
   */
  default Executor context() {
    return Runnable::run;
  }
}
