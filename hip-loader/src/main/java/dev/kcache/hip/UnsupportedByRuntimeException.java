// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KcacheException;

/**
 * Thrown for what the runtime of this machine can't do, though another one, or a newer one, can:
 * {@code hipErrorNotSupported} (801). The {@linkplain #text() text} says what it is; nothing was
 * done. {@code docs/runtimes.md} lists what each kind of runtime can do.
 */
public final class UnsupportedByRuntimeException extends HipException {
  private static final long serialVersionUID = 1;

  UnsupportedByRuntimeException(String function, int code, String errorName, String text) {
    super(function, code, errorName, text, "");
  }

  private UnsupportedByRuntimeException(UnsupportedByRuntimeException cause) {
    super(cause);
  }

  @Override
  protected KcacheException copy() {
    return new UnsupportedByRuntimeException(this);
  }
}
