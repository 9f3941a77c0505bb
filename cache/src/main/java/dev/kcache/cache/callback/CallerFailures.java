// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.callback;

import dev.kcache.codeobject.KcacheException;
import java.io.UncheckedIOException;

/**
 * Makes the exception of one caller out of that of a compile or load, which any number of callers
 * wait for: the stack of a shared one would be that of none of them, and what one caller adds to
 * it, such as a suppressed exception, would show to all.
 */
public final class CallerFailures {
  private CallerFailures() {}

  /**
   * Returns a new exception of the same type and data, with the stack of this call.
   *
   * @param shared is its cause, but for an {@link UncheckedIOException}, whose cause is the same
   *     {@link java.io.IOException}
   * @return {@code shared} itself if its type has no copies
   */
  public static RuntimeException own(RuntimeException shared) {
    String message = String.valueOf(shared.getMessage());
    if (shared instanceof KcacheException failure) {
      return failure.forCaller();
    } else if (shared.getClass() == UncheckedIOException.class) {
      return new UncheckedIOException(message, ((UncheckedIOException) shared).getCause());
    } else if (shared.getClass() == IllegalStateException.class) {
      return new IllegalStateException(message, shared);
    } else if (shared.getClass() == IllegalArgumentException.class) {
      return new IllegalArgumentException(message, shared);
    }
    return shared;
  }
}
