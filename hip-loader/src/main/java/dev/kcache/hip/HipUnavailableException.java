// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.util.List;

/** There is no usable HIP runtime library on this machine. */
public final class HipUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String[] attempts;

  HipUnavailableException(String message, List<String> attempts) {
    super(attempts.isEmpty() ? message : message + "; tried " + String.join("; ", attempts));
    this.attempts = attempts.toArray(String[]::new);
  }

  /** Returns each library that was tried, in order, with what was wrong with it. */
  public List<String> attempts() {
    return List.of(attempts);
  }
}
