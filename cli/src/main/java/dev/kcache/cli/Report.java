// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.io.PrintStream;

/** What a verb found, which it shows in one of two forms. */
interface Report {
  /** Prints it for people. */
  void print(PrintStream out);

  /** Writes it for programs. */
  void writeTo(Json json);
}
