// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.KcacheException;

/**
 * Thrown when a request misses and the policy is {@link CachePolicy#SEALED}. Nothing has been
 * stored.
 */
public final class CacheMissException extends KcacheException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with one line that says what to do. */
  public CacheMissException(String message) {
    super(message);
  }
}
