// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The include directive that a source begins with. */
final class LeadingInclude {
  private static final String LINE = "//";
  private static final String BLOCK = "/*";
  private static final Pattern INCLUDE =
      Pattern.compile(
          "#[ \\t]*include[ \\t]*<([\\w./+-]{1,200})>[ \\t]*(?://[^\\\\\\n?]*)?\\r?\\n");

  /** Ends a line, and with it a comment, for the compiler. */
  private static final Pattern LONE_RETURN = Pattern.compile("\\r(?!\\n)");

  private LeadingInclude() {}

  /**
   * Returns the name in angle brackets; empty in case of doubt, such as a line that continues on
   * the next one.
   */
  static Optional<String> of(ByteBuffer source) {
    String text = ISO_8859_1.decode(source.duplicate()).toString();
    int start = skip(text);
    Matcher include = INCLUDE.matcher(text).region(start, text.length());
    return include.lookingAt() && !LONE_RETURN.matcher(text).region(0, include.end()).find()
        ? Optional.of(include.group(1))
        : Optional.empty();
  }

  /** Returns the index of the first token, or the length. */
  private static int skip(String text) {
    int at = 0;
    while (at < text.length()) {
      if (" \t\r\n".indexOf(text.charAt(at)) >= 0) {
        at++;
      } else if (text.startsWith(LINE, at)) {
        int end = text.indexOf('\n', at);
        if (end < 0 || isContinued(text.substring(at, end))) {
          return text.length();
        }
        at = end;
      } else if (text.startsWith(BLOCK, at)) {
        int end = text.indexOf("*/", at + BLOCK.length());
        if (end < 0 || isSpliced(text.substring(at, end))) {
          return text.length();
        }
        at = end + 2;
      } else {
        return at;
      }
    }
    return at;
  }

  /** A backslash, also one before blanks, continues the comment on the next line. */
  private static boolean isContinued(String comment) {
    String line = comment.stripTrailing();
    return line.endsWith("\\") || line.endsWith("??/");
  }

  /** A comment may end at a star whose slash is on the next line. */
  private static boolean isSpliced(String comment) {
    return comment.contains("*\\") || comment.contains("*??/");
  }
}
