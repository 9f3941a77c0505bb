// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.Digest;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Tells a listener of compiles, which do not wait for it: the events of one request one after the
 * other, those of several at once.
 *
 * <p>Safe for use by any number of threads.
 */
final class CompileEvents {
  private final @Nullable CacheListener listener;
  private final Executor executor;
  private final AtomicBoolean warned = new AtomicBoolean();

  /** What is still to be told of each request of which something is being told. */
  private final Map<Digest, Queue<Runnable>> waiting = new HashMap<>();

  CompileEvents(@Nullable CacheListener listener, Executor executor) {
    this.listener = listener;
    this.executor = executor;
  }

  void started(Request request, String source) {
    if (listener != null) {
      tell(request.digest(), () -> listener.compileStarted(source, request.target()));
    }
  }

  void finished(Request request, String source, Duration elapsed, boolean succeeded) {
    if (listener != null) {
      tell(
          request.digest(),
          () -> listener.compileFinished(source, request.target(), elapsed, succeeded));
    }
  }

  private void tell(Digest request, Runnable event) {
    Queue<Runnable> mine = new ArrayDeque<>(List.of(event));
    synchronized (waiting) {
      Queue<Runnable> others = waiting.putIfAbsent(request, mine);
      if (others != null) {
        others.add(event);
        return;
      }
    }
    executor.execute(() -> tellAll(request, mine));
  }

  private void tellAll(Digest request, Queue<Runnable> events) {
    for (Runnable event = next(request, events); event != null; event = next(request, events)) {
      tell(event);
    }
  }

  private @Nullable Runnable next(Digest request, Queue<Runnable> events) {
    synchronized (waiting) {
      Runnable event = events.poll();
      if (event == null) {
        waiting.remove(request);
      }
      return event;
    }
  }

  /** An {@link Error} is the listener's own problem, too: a failed assertion, a missing class. */
  private void tell(Runnable event) {
    try {
      event.run();
    } catch (Throwable e) {
      if (warned.compareAndSet(false, true)) {
        System.getLogger(CompileEvents.class.getName())
            .log(Level.WARNING, "a cache listener failed; further failures are not reported", e);
      }
    }
  }
}
