// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What calls say that are refused, or that the runtime fails. */
final class Refusals {
  private Refusals() {}

  static void assertIllegal(String message, ThrowingCallable call) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
  }

  static void assertClosed(String what, ThrowingCallable call) {
    assertThatIllegalStateException().isThrownBy(call).withMessage("the " + what + " is closed");
  }

  /** Checks that a function of the runtime failed. */
  static void assertFails(String function, int code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            HipException.class,
            e -> {
              assertThat(e.function()).isEqualTo(function);
              assertThat(e.code()).isEqualTo(code);
            });
  }
}
