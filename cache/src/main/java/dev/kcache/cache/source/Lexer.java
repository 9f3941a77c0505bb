// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.cache.source.ScannedFile.Problem;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Splits a source into preprocessing tokens, as the third phase of translation does: comments are
 * blanks, raw strings keep their splices, {@code %:} is {@code #}. What is malformed, as text in a
 * skipped {@code #if} block may be, ends at the end of its line. Not safe for use by several
 * threads.
 */
final class Lexer {
  private static final Set<String> RAW_PREFIXES = Set.of("R", "LR", "uR", "UR", "u8R");
  private static final Set<String> PREFIXES = Set.of("L", "u", "U", "u8");

  /** The longest delimiter of a raw string (C++ [lex.string]). */
  private static final int RAW_DELIMITER_LIMIT = 16;

  /** Longer than any path that can be opened. */
  private static final int ARGUMENTS_LIMIT = 4096 + 256;

  /** What a raw string's delimiter is made of, beside letters and digits. */
  private static final String DELIMITER = "_.{}[]#<>%:;?*+-/^&|~!=,\"'";

  /** What C++26 adds to it, for newer compilers. */
  private static final String NEWER_DELIMITER = "$@`";

  private final Characters in;

  /** Whether the rest of the line was seen to hold neither a comment nor a raw string. */
  private boolean plain;

  private @Nullable Problem doubt;

  Lexer(byte[] text) {
    in = new Characters(text);
  }

  /** Returns the first thing that compilers split in different ways, or null. */
  @Nullable Problem doubt() {
    return doubt;
  }

  /** Returns the rest of the line without taking it. */
  String restOfLine() {
    return ahead(Integer.MAX_VALUE);
  }

  String ahead(int characters) {
    return in.restOfLine(characters);
  }

  /** Returns the text in the parentheses that follow, without taking it, at a bounded cost. */
  String arguments() {
    return in.arguments(ARGUMENTS_LIMIT);
  }

  Token next() {
    skipBlanks();
    int line = in.line();
    int c = in.peek();
    if (c == Characters.END) {
      return new Token(Token.Kind.END, "", line);
    }
    if (Characters.isNewline(c)) {
      in.take();
      plain = false;
      return new Token(Token.Kind.NEWLINE, "", line);
    }
    if (Characters.startsWord(c) || isUniversal()) {
      return identifierOrLiteral(line);
    }
    if (Characters.isDigit(c) || (c == '.' && Characters.isDigit(in.peekSecond()))) {
      return new Token(Token.Kind.NUMBER, number(line), line);
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
        in.skipLine();
      } else if (c == '/' && in.peekSecond() == '*') {
        skipBlockComment();
      } else {
        return;
      }
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
    String text = word();
    checkPrefix(text, line);
    if (in.peek() == '"' && RAW_PREFIXES.contains(text)) {
      return new Token(Token.Kind.STRING, rawString(line), line);
    }
    if ((in.peek() == '"' || in.peek() == '\'') && PREFIXES.contains(text)) {
      return quoted(line);
    }
    return new Token(Token.Kind.IDENTIFIER, text, line);
  }

  private String word() {
    StringBuilder word = new StringBuilder();
    while (Characters.isWord(in.peek()) || isUniversal()) {
      take(word);
    }
    return word.toString();
  }

  /** Returns whether a character is written by its number or name, as in <code>\\u{e9}</code>. */
  private boolean isUniversal() {
    return in.peek() == '\\' && "uUN".indexOf(in.peekSecond()) >= 0;
  }

  private void take(StringBuilder word) {
    boolean universal = isUniversal();
    word.append((char) in.take());
    if (universal) {
      word.append((char) in.take());
      if (in.peek() == '{') {
        while (in.peek() != '}'
            && in.peek() != Characters.END
            && !Characters.isNewline(in.peek())) {
          word.append((char) in.take());
        }
        if (in.peek() == '}') {
          word.append((char) in.take());
        }
      }
    }
  }

  /**
   * Compilers disagree on which other characters belong to a word, and so on where a raw string
   * begins.
   */
  private void checkPrefix(String word, int line) {
    if (in.peek() == '"'
        && word.endsWith("R")
        && !Characters.arePrintableAscii(word.replace('\\', '\0'))) {
      doubt(
          line,
          "what may be a raw string stands right behind an odd character; put a blank between");
    }
  }

  private void doubt(int line, String problem) {
    if (doubt == null) {
      doubt = new Problem(line, problem, Problem.Kind.FINAL);
    }
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
      return digits(16, Integer.MAX_VALUE);
    }
    if (c == 'u' || c == 'U') {
      in.take();
      return digits(16, c == 'u' ? 4 : 8);
    }
    if (c == 'o' && in.peekSecond() == '{') {
      in.take();
      return digits(8, Integer.MAX_VALUE);
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

  private String rawString(int line) {
    in.takeRaw();
    int length = 0;
    while (length < RAW_DELIMITER_LIMIT && isDelimiter(in.peekRaw(length))) {
      length++;
    }
    if (NEWER_DELIMITER.indexOf(in.peekRaw(length)) >= 0) {
      doubt(line, "not every compiler takes this raw string's delimiter; make it of letters");
    }
    StringBuilder close = new StringBuilder(")");
    if (in.peekRaw(length) != '(') {
      return malformedRawString();
    }
    for (int i = 0; i < length; i++) {
      close.append((char) in.takeRaw());
    }
    in.takeRaw();
    return takeRawUntil(close.append('"').toString());
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
  private String malformedRawString() {
    int c = in.takeRaw();
    while (c != '"' && c != Characters.END) {
      c = in.takeRaw();
    }
    return "";
  }

  private static boolean isDelimiter(int c) {
    return isAsciiWord(c) || (c > 0 && DELIMITER.indexOf(c) >= 0);
  }

  private String number(int line) {
    StringBuilder number = new StringBuilder();
    while (true) {
      int c = in.peek();
      boolean separator = c == '\'' && isAsciiWord(in.peekSecond());
      boolean sign = (c == '+' || c == '-') && endsInExponent(number);
      if (!Characters.isWord(c) && c != '.' && !separator && !sign && !isUniversal()) {
        break;
      }
      take(number);
    }
    checkPrefix(number.toString(), line);
    checkSeparators(number.toString(), line);
    return number.toString();
  }

  /** In C++11 numbers have no separators: the first one begins a character. */
  private void checkSeparators(String number, int line) {
    int separator = number.indexOf('\'');
    if (separator >= 0 && !plain) {
      String rest = restOfLine();
      plain = !rest.contains("/*") && !rest.contains("R\"");
      boolean same =
          UnfinishedLine.opensComment(rest)
              == UnfinishedLine.opensComment(number.substring(separator) + rest);
      if (!same || rest.contains("R\"")) {
        doubt(
            line,
            "the quote in a number begins a character in C++11; move the comment or string behind"
                + " it to another line");
      }
    }
  }

  /** Without {@code 0x}, a P is no exponent in C++. */
  private static boolean endsInExponent(StringBuilder number) {
    if (number.length() == 0) {
      return false;
    }
    char last = number.charAt(number.length() - 1);
    boolean hexadecimal =
        number.length() > 2 && number.charAt(0) == '0' && (number.charAt(1) | ' ') == 'x';
    return last == 'e' || last == 'E' || (hexadecimal && (last == 'p' || last == 'P'));
  }

  private String punctuator() {
    int c = in.take();
    if (c == '%' && in.peek() == ':') {
      in.take();
      return "#";
    }
    return String.valueOf((char) c);
  }

  private static boolean isAsciiWord(int c) {
    return Characters.isWord(c) && c != '$' && c < 0x80;
  }
}
