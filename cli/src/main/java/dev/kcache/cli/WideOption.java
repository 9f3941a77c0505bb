// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

/** The option {@code --wide} of a verb whose lines are fitted to the terminal. */
final class WideOption {
  private final Argument<Boolean> wide;

  WideOption(Arguments arguments) {
    wide = arguments.flag("--wide", "On a terminal, show long names and digests whole.");
  }

  /** Returns whether everything is to be shown whole. */
  boolean value() {
    return wide.value();
  }

  /** Returns the width that a line has to fit; 0 if it may have any. */
  int columns(Console console) {
    return wide.value() ? 0 : console.outColumns();
  }
}
