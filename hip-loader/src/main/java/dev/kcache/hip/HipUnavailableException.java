// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KcacheException;
import java.util.List;

/**
 * Thrown when there is no usable HIP runtime library on this machine. The message is one line:
 * everything that was tried, then what to do.
 */
public final class HipUnavailableException extends KcacheException {
  private static final long serialVersionUID = 1;

  /** What was looked for, and why it is not usable; one line each. */
  private final String[] attempts;

  HipUnavailableException(List<String> attempts, String remedy) {
    super("no usable HIP runtime library: " + String.join("; ", attempts) + "; " + remedy);
    this.attempts = attempts.toArray(String[]::new);
  }

  /** {@return what was tried, in order, each with its problem} */
  public List<String> attempts() {
    return List.of(attempts);
  }
}
