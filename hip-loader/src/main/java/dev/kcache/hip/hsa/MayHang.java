// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Calls of the runtime that never return if the device dies meanwhile: the load of code, which
 * copies with a queue of the runtime's own, and the end of a queue. If that is to be survived, each
 * is made on a thread of its own, which stays in it for good, while its caller gets the failure.
 *
 * <p>Safe for use by any number of threads.
 */
final class MayHang {
  private final CompletableFuture<Object> end = new CompletableFuture<>();
  private volatile boolean survives;

  void survive() {
    survives = true;
  }

  /** Lets all calls fail. */
  void end(HsaFailure reason) {
    boolean unused = end.completeExceptionally(reason);
  }

  /** Makes a call; returns its result, or throws what it throws, or the failure of the device. */
  <T> T call(Supplier<T> call) {
    if (!survives) {
      return call.get();
    }
    CompletableFuture<T> made = new CompletableFuture<>();
    Thread thread = new Thread(null, () -> complete(made, call), "kcache-gpu-call", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    thread.start();
    try {
      Object unused = CompletableFuture.anyOf(made, end).join();
      return made.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static <T> void complete(CompletableFuture<T> made, Supplier<T> call) {
    try {
      made.complete(call.get());
    } catch (RuntimeException | Error e) {
      made.completeExceptionally(e);
    }
  }
}
