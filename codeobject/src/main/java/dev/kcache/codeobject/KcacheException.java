// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import org.jspecify.annotations.Nullable;

/**
 * The root of every failure that kcache expects: each subclass carries the facts of its failure and
 * says what state it leaves. A wrong argument is an {@link IllegalArgumentException} instead. The
 * message is one line that says what is wrong and what to do.
 */
public abstract class KcacheException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception with a one-line message.
   *
   * @param message one line that says what failed, for a user
   */
  protected KcacheException(String message) {
    super(message);
  }

  /**
   * Creates the exception with a one-line message and the failure behind it.
   *
   * @param message one line that says what failed, for a user
   * @param cause the failure behind it; null if there is none
   */
  protected KcacheException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * {@return the exception of another caller who waited for what failed: of the same type and data,
   * with the stack of this call and this exception as its cause; this exception itself if its type
   * does not override {@link #copy}} What one caller adds to it, such as a suppressed exception,
   * does not show to the others.
   */
  public final KcacheException forCaller() {
    KcacheException own = copy();
    if (own != this && own.getCause() == null) {
      own.initCause(this);
    }
    return own;
  }

  /**
   * {@return a new exception of the same type and data, with this one as its cause or made by a
   * constructor that takes no cause; this exception if its type has no copies}
   */
  protected KcacheException copy() {
    return this;
  }
}
