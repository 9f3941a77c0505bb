// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

/** Tells when the user wants the command to end: Ctrl-C, or whatever stands for it in a test. */
interface Interrupts {
  /**
   * Has {@code action} run, on a thread of its own, when the user wants the command to end. From
   * then on the process ends as soon as the registration is closed, or at a deadline.
   */
  Registration register(Runnable action);

  /** Ends, when closed, what {@link #register} began: the command has said all it had to say. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
