// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.remote;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Values by name on another machine. The cache checks every byte that comes from there, waits with
 * a deadline, repeats a request that failed, and leaves a store alone for a while that fails again:
 * an implementation does none of these.
 *
 * <p>Safe for use by any number of threads. No method waits for the network; it connects when it is
 * first asked. The exceptions of the futures, and their messages, hold no credentials.
 */
public interface RemoteStore extends AutoCloseable {
  /** {@return the address without credentials, on one line} */
  String describe();

  /**
   * Reads a value.
   *
   * @param name letters, digits and {@code /_+-}
   * @param maxBytes at most 2^30; of a longer value more than these have to be returned, and nobody
   *     looks at the rest
   * @return a future of the value, or of nothing if there is none; it fails if the store can't tell
   */
  CompletableFuture<Optional<byte[]>> get(String name, int maxBytes);

  /**
   * Writes a value, as a whole or not at all, in the place of the one that has the name.
   *
   * @param name as {@link #get} takes it
   * @param bytes not changed by anybody afterwards
   * @return a future that fails if the value was perhaps not written
   */
  CompletableFuture<Void> put(String name, byte[] bytes);

  /** What came of asking for a lease. */
  enum Lease {
    /** The holder has it from now on, for its lifetime. */
    HELD,
    /** Another holder has it. */
    TAKEN,
    /** This store has no leases. */
    UNSUPPORTED
  }

  /**
   * Takes a lease for a holder, or prolongs the holder's own. At most one holder is meant to have
   * it at a time; one that lost it unnoticed does a work twice, and no harm. Ages are told by the
   * store's clock, or by one that only goes forward, never by comparing the clocks of machines.
   *
   * @param name as {@link #get} takes it; no value has this name
   * @param holder letters, digits and {@code -}, other than any other holder's
   * @param lifetime after which the lease ends unless it is prolonged; at least a second
   * @return a future that fails if the store can't tell
   */
  default CompletableFuture<Lease> lease(String name, String holder, Duration lifetime) {
    return CompletableFuture.completedFuture(Lease.UNSUPPORTED);
  }

  /**
   * Ends a lease early, if the holder has it.
   *
   * @param name of the lease
   * @param holder who took it
   * @return a future that fails if the lease perhaps lives on until its end
   */
  default CompletableFuture<Void> release(String name, String holder) {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Lists the names of values, in any order, each once; names that are written or removed meanwhile
   * may be missing. Names of leases may be among them.
   *
   * @param prefix with which they begin, such as {@code gfx90a-6.4/}; empty for all
   * @return a future of the names; it fails with an {@link UnsupportedOperationException} if the
   *     store can't list
   */
  default CompletableFuture<List<String>> list(String prefix) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException(describe() + " cannot list what it has"));
  }

  /** Ends what is under way and releases threads and connections, without lingering. */
  @Override
  void close();
}
