// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.List;
import java.util.regex.Pattern;

/** What a compiler printed, as people want to see it. */
final class CompilerOutput {
  /** A count, the command, and the driver's word that the linker failed, after it said why. */
  private static final Pattern NOTHING_NEW =
      Pattern.compile(
          "\\s*"
              + "|\\d+ (warning|error)s?( and \\d+ errors?)? generated( when compiling for \\S+)?\\."
              + "|failed to execute:.*"
              + "|\\S+: error: \\S+ command failed with exit code \\d+ \\(use -v to see invocation\\)");

  private CompilerOutput() {}

  /**
   * Returns the log without the lines at its end that say nothing new, and without a line end; all
   * of it if it has no other lines.
   */
  static String withoutClosing(String log) {
    List<String> lines = log.lines().toList();
    int end = lines.size();
    while (end > 0 && NOTHING_NEW.matcher(lines.get(end - 1)).matches()) {
      end--;
    }
    return end == 0 ? log.stripTrailing() : String.join("\n", lines.subList(0, end));
  }
}
