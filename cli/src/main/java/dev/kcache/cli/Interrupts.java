// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

/** Ctrl-C and the other ways to end the command, or what replaces them in a test. */
interface Interrupts {
  /**
   * Runs {@code action}, on a thread of its own, when the user wants the command to end. From then
   * on the process ends as soon as the registration is closed, or at a deadline.
   */
  Registration register(Runnable action);

  /** Closed once the command has printed everything. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
