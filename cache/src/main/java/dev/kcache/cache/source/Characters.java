// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

/**
 * The characters of a source after the first two phases of translation: a byte order mark is
 * dropped, and so is each backslash that ends a line, also with blanks after it, as clang accepts.
 * Characters are bytes, since all syntax is ASCII. Not safe for use by several threads.
 */
final class Characters {
  static final int END = -1;

  private final byte[] text;
  private int at;
  private int line = 1;

  Characters(byte[] text) {
    this.text = text;
    boolean marked =
        text.length >= 3
            && text[0] == (byte) 0xef
            && text[1] == (byte) 0xbb
            && text[2] == (byte) 0xbf;
    at = marked ? 3 : 0;
  }

  int line() {
    peek();
    return line;
  }

  /** Returns the next character without taking it, or {@link #END}. */
  int peek() {
    if (byteAt(at) == '\\') {
      int next = afterSplices(at);
      countLines(at, next);
      at = next;
    }
    return byteAt(at);
  }

  int peekSecond() {
    return peek() == END ? END : byteAt(afterSplices(at + 1));
  }

  /** Takes the next character; CR and CR LF are taken as one LF. */
  int take() {
    int c = peek();
    return c == END ? END : takeByte();
  }

  void skipLine() {
    for (int c = peek(); c != END && !isNewline(c); c = peek()) {
      at++;
    }
  }

  /** Takes the next character as it stands in the file, splices included: for raw strings. */
  int takeRaw() {
    return byteAt(at) == END ? END : takeByte();
  }

  /** Returns a byte ahead as it stands in the file, or {@link #END}. */
  int peekRaw(int offset) {
    return byteAt(at + offset);
  }

  /** Returns the first characters of the rest of the line, at most {@code most}. */
  String restOfLine(int most) {
    StringBuilder rest = new StringBuilder();
    int i = afterSplices(at);
    while (rest.length() < most && byteAt(i) != END && !isNewline(byteAt(i))) {
      rest.append((char) byteAt(i));
      i = afterSplices(i + 1);
    }
    return rest.toString();
  }

  /**
   * Returns the text in the parentheses that follow; empty if there are none, they do not end on
   * the line, or they hold more than {@code most} characters.
   */
  String arguments(int most) {
    StringBuilder call = new StringBuilder();
    int depth = 0;
    int i = afterSplices(at);
    while (call.length() < most && byteAt(i) != END && !isNewline(byteAt(i))) {
      char c = (char) byteAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth <= 0 && !isBlank(c)) {
        return call.isEmpty() ? "" : call.substring(1);
      }
      if (depth > 0) {
        call.append(c);
      }
      i = afterSplices(i + 1);
    }
    return "";
  }

  boolean startsWithRaw(String expected) {
    for (int i = 0; i < expected.length(); i++) {
      if (byteAt(at + i) != expected.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private int takeByte() {
    int c = byteAt(at);
    if (isNewline(c)) {
      at = afterNewline(at);
      line++;
      return '\n';
    }
    at++;
    return c;
  }

  private int afterSplices(int from) {
    while (byteAt(from) == '\\') {
      int end = from + 1;
      while (byteAt(end) != 0 && isBlank(byteAt(end))) {
        end++;
      }
      if (!isNewline(byteAt(end))) {
        return from;
      }
      from = afterSplicedNewline(end);
    }
    return from;
  }

  /** After a backslash clang also takes LF CR for one line end. */
  private int afterSplicedNewline(int from) {
    int other = byteAt(from) == '\n' ? '\r' : '\n';
    return byteAt(from + 1) == other ? from + 2 : from + 1;
  }

  private int afterNewline(int from) {
    return byteAt(from) == '\r' && byteAt(from + 1) == '\n' ? from + 2 : from + 1;
  }

  private void countLines(int from, int to) {
    for (int i = from; i < to; i++) {
      if (text[i] == '\n' || (text[i] == '\r' && byteAt(i + 1) != '\n')) {
        line++;
      }
    }
  }

  private int byteAt(int index) {
    return index < text.length ? text[index] & 0xff : END;
  }

  /** Clang allows a dollar sign and all beyond ASCII as well. */
  static boolean isWord(int c) {
    return startsWord(c) || isDigit(c);
  }

  static boolean startsWord(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
  }

  static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  /** Compilers take a NUL for a blank, except between a backslash and the end of its line. */
  static boolean isBlank(int c) {
    return c == 0 || c == ' ' || c == '\t' || c == '\f' || c == 0x0b;
  }

  static boolean arePrintableAscii(String text) {
    return text.chars().allMatch(c -> c >= ' ' && c <= '~');
  }

  static boolean isNewline(int c) {
    return c == '\n' || c == '\r';
  }
}
