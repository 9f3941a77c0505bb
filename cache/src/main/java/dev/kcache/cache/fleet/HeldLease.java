// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.remote.RemoteStore.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A lease that a remote gave, prolonged until it is ended. Nobody hears if it is lost: the work
 * goes on, and is done twice. Safe for use by any number of threads.
 */
final class HeldLease {
  /** A lease outlives two prolongations that are late. */
  private static final int BEATS = 3;

  private final Remote remote;
  private final String name;
  private final String holder;
  private final Duration lifetime;
  private final Consumer<HeldLease> onEnd;
  private CompletableFuture<?> asked = CompletableFuture.completedFuture(null);
  private boolean ended;

  /**
   * Keeps up a lease that the holder has.
   *
   * @param onEnd hears when the remote has answered that it is released, or has failed to
   */
  HeldLease(
      Remote remote, String name, String holder, Duration lifetime, Consumer<HeldLease> onEnd) {
    this.remote = remote;
    this.name = name;
    this.holder = holder;
    this.lifetime = lifetime;
    this.onEnd = onEnd;
  }

  /** Prolongs it from time to time from now on. Asking does not block, so the JDK's timer may. */
  void prolongLater() {
    CompletableFuture.delayedExecutor(
            lifetime.toMillis() / BEATS, TimeUnit.MILLISECONDS, Runnable::run)
        .execute(this::prolong);
  }

  private synchronized void prolong() {
    if (ended) {
      return;
    }
    CompletableFuture<Lease> answer = remote.lease(name, holder, lifetime);
    asked = answer;
    var unused =
        answer.whenComplete(
            (lease, failure) -> {
              // After a failure it may still be there, and the remote back.
              if (lease != Lease.TAKEN) {
                prolongLater();
              }
            });
  }

  /** Ends it, after what is under way, which could bring it back. */
  void end() {
    CompletableFuture<?> before;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      before = asked;
    }
    var unused =
        before
            .handle((answer, failure) -> true)
            .thenCompose(over -> remote.release(name, holder))
            .whenComplete((done, failure) -> onEnd.accept(this));
  }
}
