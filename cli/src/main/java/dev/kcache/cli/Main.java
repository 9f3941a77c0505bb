// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

/** The entry point of the {@code kcache} command. */
public final class Main {
  private Main() {}

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    int exitCode = KcacheCommand.run(CliContext.ofProcess(), arguments);
    ShutdownInterrupts.letSignalEndFirst();
    System.exit(exitCode);
  }
}
