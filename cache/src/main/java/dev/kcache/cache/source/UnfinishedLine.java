// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

/**
 * Finds out what a line leaves open at its end. Compilers split some lines differently, which does
 * not matter if nothing stays open.
 */
final class UnfinishedLine {
  private UnfinishedLine() {}

  /** Returns whether a comment or a raw string may begin in a part of a line and go on after it. */
  static boolean opens(String text) {
    return text.contains("R\"") || opensComment(text);
  }

  /** Returns whether a comment that begins in a part of a line goes on after it. */
  static boolean opensComment(String text) {
    int at = 0;
    while (at >= 0 && at < text.length()) {
      char c = text.charAt(at);
      if (c == '"' || c == '\'') {
        at = afterQuote(text, at);
      } else if (text.startsWith("//", at)) {
        return false;
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          return true;
        }
        at = end + 2;
      } else {
        at++;
      }
    }
    return false;
  }

  private static int afterQuote(String text, int open) {
    for (int at = open + 1; at < text.length(); at++) {
      if (text.charAt(at) == '\\') {
        at++;
      } else if (text.charAt(at) == text.charAt(open)) {
        return at + 1;
      }
    }
    return text.length();
  }
}
