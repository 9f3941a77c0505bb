// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/*
 * Windows hands a program one line, which the program parts by the rules of CommandLineToArgvW. Java
 * makes the line (ProcessImpl.createCommandLine, JDK 17 to 25): it puts a word with a blank between
 * double quotes and doubles the backslashes at its end, but leaves quotes in a word alone, and a word
 * that begins and ends with one altogether. So a word gets here what Java lacks: a backslash before
 * each quote, and each backslash before that one doubled. It then never begins with a quote.
 */

/** The words of a command as Java has to get them on Windows, to pass them on unchanged. */
final class WindowsCommandLine {
  private static final String EMPTY = "\"\"";

  private WindowsCommandLine() {}

  /**
   * Returns the words for Java.
   *
   * @param command the program, then its arguments
   * @throws IllegalArgumentException if the program is none that starts without an interpreter, or
   *     a word can't be passed
   */
  static List<String> words(List<String> command) {
    List<String> words = new ArrayList<>(List.of(program(command.get(0))));
    command.stream().skip(1).forEach(word -> words.add(word(word)));
    return words;
  }

  private static String program(String file) {
    String name = file.toLowerCase(Locale.ROOT);
    if (name.endsWith(".bat") || name.endsWith(".cmd")) {
      throw new IllegalArgumentException(
          file + " is a batch file, whose arguments cmd.exe would change; name a .exe instead");
    }
    return word(file);
  }

  private static String word(String word) {
    if (word.isEmpty()) {
      return EMPTY;
    }
    StringBuilder result = new StringBuilder(word.length() + 2);
    int backslashes = 0;
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (c < ' ') {
        throw new IllegalArgumentException(
            "a word with the control character %d can't be passed to a program on Windows: %s"
                .formatted((int) c, word.replaceAll("\\p{Cntrl}", "?")));
      }
      if (c == '"') {
        result.append("\\".repeat(backslashes + 1));
      }
      backslashes = c == '\\' ? backslashes + 1 : 0;
      result.append(c);
    }
    return result.toString();
  }
}
