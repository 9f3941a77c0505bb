// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

/** Thrown when what the user asks about is damaged, or gone. The message is the whole problem. */
final class DamagedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DamagedException(String problem) {
    super(problem);
  }
}
