// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.KcacheException;

/**
 * Thrown when a request misses and may not be compiled: the policy is {@link CachePolicy#SEALED},
 * or {@link CacheManager#seal} has been called. Nothing has been stored.
 */
public final class CacheMissException extends KcacheException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception, also for caches of other kinds than {@link CacheManager}.
   *
   * @param message one line that names the request and says what to do
   */
  public CacheMissException(String message) {
    super(requireNonNull(message, "message"));
  }

  @Override
  protected KcacheException copy() {
    return new CacheMissException(String.valueOf(getMessage()));
  }
}
