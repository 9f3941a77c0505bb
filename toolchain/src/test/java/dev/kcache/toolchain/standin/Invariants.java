// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import java.util.function.Supplier;

/** What fuzz tests say of rules; what breaks one is a finding. */
public final class Invariants {
  private Invariants() {}

  /** Fails if a rule does not hold. */
  public static void require(boolean holds, String rule) {
    if (!holds) {
      throw new AssertionError(rule);
    }
  }

  /** Fails if a rule does not hold; what it says is only made then. */
  public static void require(boolean holds, Supplier<String> rule) {
    if (!holds) {
      throw new AssertionError(rule.get());
    }
  }

  /** Fails unless a message is one line that says something and does nothing to a terminal. */
  public static void requireMessage(Throwable refusal) {
    String message = String.valueOf(refusal.getMessage());
    require(refusal.getMessage() != null && !message.isBlank(), () -> "no message: " + refusal);
    require(
        message.chars().noneMatch(Character::isISOControl),
        () -> "a message is one line, without control characters: " + message);
  }
}
