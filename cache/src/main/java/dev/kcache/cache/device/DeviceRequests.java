// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.device;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The requests of whoever loads code objects on open devices. This package is exported to kcache's
 * own modules only.
 *
 * <p>Safe for use by any number of threads.
 *
 * @param <S> a source, the cache's {@code KernelSource}: this package can't name it without a cycle
 * @param <R> a result, the cache's {@code CacheResult}
 */
public interface DeviceRequests<S, R> {
  /**
   * Returns the code object of a source for a device that is open. It is for the builder's target,
   * {@code KCACHE_ARCH} or {@code ARCH} if there is one; else it is the code object for the
   * device's exact target ID if the cache has one, else one for its processor with any features,
   * else generic code: the code object names its target. Throws what the cache's {@code
   * getOrCompile} does where a target is known.
   *
   * @param device the device's own target ID
   * @throws IllegalArgumentException also if a target is set that does not run on the device
   */
  R resolve(S source, TargetId device);

  /** As {@link #resolve}, without waiting: the future fails with its exceptions. */
  CompletableFuture<R> resolveAsync(S source, TargetId device);

  /**
   * Never serves {@code refused} for {@code source} again: a GPU driver rejected it, although it
   * passes every check of the cache. The next request looks further, and what it compiles is kept
   * in memory only, so that the entry stays for drivers that can load it.
   */
  void bypass(S source, CodeObject refused);

  /**
   * Returns what runs tasks at once, on the thread that hands them over, in the context of the
   * thread that calls this, such as the span that is current on it.
   */
  Executor context();

  /**
   * Tells the cache's listeners that this thread begins to load a code object; throws nothing.
   *
   * @param source whose request loads it
   * @param result has the code object
   * @param device the ordinal of the device
   * @return to be told, on the same thread, how it ended
   */
  Load loading(S source, R result, int device);

  /** A load that has begun. Its methods throw nothing. */
  interface Load {
    /** Tells that the code object is loaded. */
    void succeeded();

    /** Tells what loading it threw. */
    void failed(Throwable failure);
  }
}
