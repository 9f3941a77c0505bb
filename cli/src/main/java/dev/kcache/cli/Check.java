// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.Optional;

/**
 * One result of {@code kcache doctor}.
 *
 * @param name its subject: one word, the same in every run
 * @param fix what to do; only there if something is wrong
 */
record Check(String name, Status status, String detail, Optional<String> fix) {
  enum Status {
    /** As it should be. */
    OK,
    /** Nothing is wrong, but something can't be done here, such as a launch without a GPU. */
    NOTE,
    /** Worth a look; kernels are available all the same. */
    WARN,
    /** No kernel is available. */
    FAIL;

    @Override
    public String toString() {
      return Text.lower(this);
    }
  }

  /** Separates problem and advice in a message with both. */
  private static final String ADVICE = "; ";

  /** Returns a check of something that is as it should be. */
  static Check ok(String name, String detail) {
    return new Check(name, Status.OK, detail, Optional.empty());
  }

  /** Returns a check of something absent that need not be there. */
  static Check note(String name, String detail) {
    return new Check(name, Status.NOTE, detail, Optional.empty());
  }

  /** Returns a check that found something worth a look. */
  static Check warn(String name, String detail, String fix) {
    return new Check(name, Status.WARN, detail, Optional.of(fix));
  }

  /** Returns a check that found why no kernel is available. */
  static Check fail(String name, String detail, String fix) {
    return new Check(name, Status.FAIL, detail, Optional.of(fix));
  }

  /**
   * Returns a check from one of kcache's own messages: the problem and, last, the advice. Without
   * advice in the message the fix is {@code otherwise}.
   */
  static Check of(Status status, String name, String message, String otherwise) {
    int advice = message.lastIndexOf(ADVICE);
    return advice < 0
        ? new Check(name, status, message, Optional.of(otherwise))
        : new Check(
            name,
            status,
            message.substring(0, advice),
            Optional.of(message.substring(advice + ADVICE.length())));
  }

  /** Returns this check, as a warning if it is a failure. */
  Check atMostWarn() {
    return failed() ? new Check(name, Status.WARN, detail, fix) : this;
  }

  /** Returns this check with more after its detail. */
  Check adding(String more) {
    return new Check(name, status, detail + more, fix);
  }

  /** Returns this check with another fix. */
  Check fixedBy(String other) {
    return new Check(name, status, detail, Optional.of(other));
  }

  boolean failed() {
    return status == Status.FAIL;
  }
}
