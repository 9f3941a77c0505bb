// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes a source apart into preprocessing tokens, as the third phase of translation does: comments
 * are blanks, raw strings keep their splices, {@code %:} is {@code #}. What is malformed, as text
 * in a skipped {@code #if} block may be, ends at the end of its line. Not safe for use by several
 * threads.
 */
final class Lexer {
  private static final Set<String> RAW_PREFIXES = Set.of("R", "LR", "uR", "UR", "u8R");
  private static final Set<String> PREFIXES = Set.of("L", "u", "U", "u8");

  /** The longest delimiter of a raw string (C++ [lex.string]). */
  private static final int RAW_DELIMITER_LIMIT = 16;

  private final Characters in;

  Lexer(byte[] text) {
    in = new Characters(text);
  }

  /** Takes the next token. */
  Token next() {
    skipBlanks();
    int line = in.line();
    int c = in.peek();
    if (c == Characters.END) {
      return new Token(Token.Kind.END, "", line);
    }
    if (Characters.isNewline(c)) {
      in.take();
      return new Token(Token.Kind.NEWLINE, "", line);
    }
    if (startsIdentifier(c)) {
      return identifierOrLiteral(line);
    }
    if (isDigit(c) || (c == '.' && isDigit(in.peekSecond()))) {
      return new Token(Token.Kind.NUMBER, number(), line);
    }
    if (c == '"' || c == '\'') {
      return quoted(line);
    }
    return new Token(Token.Kind.PUNCTUATOR, punctuator(), line);
  }

  /**
   * Takes a header name, {@code <x>} or {@code "x"}; returns it with its opening delimiter and
   * without the closing one, an empty string if it has no end on its line, or null if there is
   * none.
   */
  @Nullable String headerName() {
    skipBlanks();
    int open = in.peek();
    if (open != '<' && open != '"') {
      return null;
    }
    int close = open == '<' ? '>' : '"';
    StringBuilder name = new StringBuilder().append((char) in.take());
    while (in.peek() != close) {
      if (in.peek() == Characters.END || Characters.isNewline(in.peek())) {
        return "";
      }
      name.append((char) in.take());
    }
    in.take();
    return name.toString();
  }

  /** Takes the next token if it is an opening parenthesis on the same line. */
  boolean takeParenthesis() {
    skipBlanks();
    if (in.peek() != '(') {
      return false;
    }
    in.take();
    return true;
  }

  private void skipBlanks() {
    while (true) {
      int c = in.peek();
      if (Characters.isBlank(c)) {
        in.take();
      } else if (c == '/' && in.peekSecond() == '/') {
        skipLineComment();
      } else if (c == '/' && in.peekSecond() == '*') {
        skipBlockComment();
      } else {
        return;
      }
    }
  }

  private void skipLineComment() {
    while (in.peek() != Characters.END && !Characters.isNewline(in.peek())) {
      in.take();
    }
  }

  private void skipBlockComment() {
    in.take();
    in.take();
    while (in.peek() != Characters.END) {
      if (in.take() == '*' && in.peek() == '/') {
        in.take();
        return;
      }
    }
  }

  private Token identifierOrLiteral(int line) {
    StringBuilder name = new StringBuilder();
    while (startsIdentifier(in.peek()) || isDigit(in.peek())) {
      name.append((char) in.take());
    }
    String text = name.toString();
    if (in.peek() == '"' && RAW_PREFIXES.contains(text)) {
      return new Token(Token.Kind.STRING, rawString(), line);
    }
    if ((in.peek() == '"' || in.peek() == '\'') && PREFIXES.contains(text)) {
      return quoted(line);
    }
    return new Token(Token.Kind.IDENTIFIER, text, line);
  }

  private Token quoted(int line) {
    int quote = in.take();
    StringBuilder content = new StringBuilder();
    while (in.peek() != quote) {
      if (in.peek() == Characters.END || Characters.isNewline(in.peek())) {
        break;
      }
      int c = in.take();
      content.append((char) (c == '\\' ? escape() : c));
    }
    if (in.peek() == quote) {
      in.take();
    }
    Token.Kind kind = quote == '"' ? Token.Kind.STRING : Token.Kind.CHARACTER;
    return new Token(kind, content.toString(), line);
  }

  private int escape() {
    int c = in.peek();
    if (c == 'x') {
      in.take();
      return digits(16, in.peek() == '{' ? 10 : 8);
    }
    if (c == 'u' || c == 'U') {
      in.take();
      return digits(16, c == 'u' ? 4 : 8);
    }
    if (c == 'o' && in.peekSecond() == '{') {
      in.take();
      return digits(8, 13);
    }
    if (c >= '0' && c <= '7') {
      return digits(8, 3);
    }
    if (c == Characters.END || Characters.isNewline(c)) {
      return '\\';
    }
    in.take();
    return c == 'n' || c == 't' || c == 'r' || c == 'v' || c == 'f' ? '\n' : c;
  }

  private int digits(int radix, int most) {
    boolean braced = in.peek() == '{';
    if (braced) {
      in.take();
    }
    int value = 0;
    for (int i = 0; i < most && Character.digit(in.peek(), radix) >= 0; i++) {
      value = value * radix + Character.digit(in.take(), radix);
    }
    if (braced && in.peek() == '}') {
      in.take();
    }
    return value;
  }

  private String rawString() {
    in.takeRaw();
    StringBuilder delimiter = new StringBuilder();
    int c = in.takeRaw();
    while (c != '(') {
      if (isNoDelimiter(c) || delimiter.length() == RAW_DELIMITER_LIMIT) {
        return malformedRawString(c);
      }
      delimiter.append((char) c);
      c = in.takeRaw();
    }
    return takeRawUntil(")" + delimiter + "\"");
  }

  private String takeRawUntil(String close) {
    StringBuilder content = new StringBuilder();
    while (!in.startsWithRaw(close)) {
      int c = in.takeRaw();
      if (c == Characters.END) {
        return content.toString();
      }
      content.append((char) c);
    }
    for (int i = 0; i < close.length(); i++) {
      in.takeRaw();
    }
    return content.toString();
  }

  /** As clang does: goes on after the next quote. */
  private String malformedRawString(int c) {
    while (c != '"' && c != Characters.END) {
      c = in.takeRaw();
    }
    return "";
  }

  private static boolean isNoDelimiter(int c) {
    return c <= ' ' || c == ')' || c == '\\' || c == '"';
  }

  private String number() {
    StringBuilder number = new StringBuilder();
    while (true) {
      int c = in.peek();
      boolean separator = c == '\'' && isWord(in.peekSecond());
      boolean sign = (c == '+' || c == '-') && endsInExponent(number);
      if (!isWord(c) && c != '.' && !separator && !sign) {
        return number.toString();
      }
      number.append((char) in.take());
    }
  }

  private static boolean endsInExponent(StringBuilder number) {
    return number.length() > 0 && "eEpP".indexOf(number.charAt(number.length() - 1)) >= 0;
  }

  private String punctuator() {
    int c = in.take();
    if (c == '%' && in.peek() == ':') {
      in.take();
      return "#";
    }
    return String.valueOf((char) c);
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isWord(int c) {
    return startsIdentifier(c) || isDigit(c);
  }

  private static boolean startsIdentifier(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
  }
}
