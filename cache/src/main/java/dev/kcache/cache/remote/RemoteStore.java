// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.remote;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Values by name on another machine. The cache checks every byte that comes from there, waits with
 * a deadline, and leaves a store alone for a while that fails: an implementation does neither, and
 * does not retry.
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

  /** Ends what is under way and releases threads and connections, without lingering. */
  @Override
  void close();
}
