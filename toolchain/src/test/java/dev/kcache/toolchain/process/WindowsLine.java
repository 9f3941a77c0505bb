// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** A command line as Java makes it on Windows, and as programs there read it. */
final class WindowsLine {
  private WindowsLine() {}

  /** Returns the line that JDK 17 makes, unless told to be strict. */
  static String ofJava17(List<String> words) {
    return line(words, c -> c == ' ' || c == '\t', false);
  }

  /** Returns the line that JDK 25 makes, unless told to be strict. */
  static String ofJava25(List<String> words) {
    return line(words, c -> Character.isSpaceChar(c) || Character.isWhitespace(c), true);
  }

  private static String line(List<String> words, IntPredicate blank, boolean quotesEmpty) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      line.append(line.isEmpty() ? "" : " ");
      boolean quoted = word.length() > 1 && word.startsWith("\"") && word.endsWith("\"");
      if (!quoted && (word.chars().anyMatch(blank) || (quotesEmpty && word.isEmpty()))) {
        int end = word.length();
        while (end > 0 && word.charAt(end - 1) == '\\') {
          end--;
        }
        line.append('"').append(word).append(word.substring(end)).append('"');
      } else {
        line.append(word);
      }
    }
    return line.toString();
  }

  /**
   * Returns the words of a line by Microsoft's rules for {@code CommandLineToArgvW}: the first one
   * ends at its quote, or at a blank; in the others 2n backslashes before a quote are n, with one
   * more the quote is a character, and others are themselves.
   */
  static List<String> parse(String line) {
    List<String> words = new ArrayList<>();
    boolean quoted = line.startsWith("\"");
    int at = quoted ? line.indexOf('"', 1) : (line + " ").indexOf(' ');
    words.add(line.substring(quoted ? 1 : 0, at));
    at += quoted ? 1 : 0;
    while (true) {
      while (at < line.length() && (line.charAt(at) == ' ' || line.charAt(at) == '\t')) {
        at++;
      }
      if (at == line.length()) {
        return words;
      }
      at = word(line, at, words);
    }
  }

  private static int word(String line, int start, List<String> words) {
    StringBuilder word = new StringBuilder();
    boolean inside = false;
    int backslashes = 0;
    int at = start;
    for (; at < line.length(); at++) {
      char c = line.charAt(at);
      if (c == '"') {
        word.setLength(word.length() - (backslashes + 1) / 2);
        if (backslashes % 2 == 1) {
          word.append(c);
        } else {
          inside = !inside;
        }
      } else if (!inside && (c == ' ' || c == '\t')) {
        break;
      } else {
        word.append(c);
      }
      backslashes = c == '\\' ? backslashes + 1 : 0;
    }
    words.add(word.toString());
    return at;
  }
}
