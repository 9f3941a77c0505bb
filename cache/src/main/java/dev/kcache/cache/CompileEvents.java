// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.Digest;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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

  /** The last event of each request of which something is still to be told. */
  private final ConcurrentHashMap<Digest, CompletableFuture<Void>> lastTold =
      new ConcurrentHashMap<>();

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
    CompletableFuture<Void> told = new CompletableFuture<>();
    CompletableFuture<Void> before = lastTold.put(request, told);
    CompletableFuture<Void> ready =
        before != null ? before : CompletableFuture.completedFuture(null);
    var unused =
        ready.thenRunAsync(
            () -> {
              tell(event);
              lastTold.remove(request, told);
              told.complete(null);
            },
            executor);
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
