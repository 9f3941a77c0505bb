// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Set;

/**
 * Splits Rust into tokens, as the Reference's chapter "Lexical structure" does. Comments are
 * dropped, each punctuator is one character, and a raw identifier keeps its {@code r#}. Of strings
 * and characters of bytes or for C only the end matters. What is malformed is taken somehow, since
 * rustc refuses it. Not safe for use by several threads.
 */
final class RustLexer {
  private static final int END = -1;
  private static final int BYTE_ORDER_MARK = 0xfeff;

  /** What may stand before a quote; with an {@code r} the string is raw. */
  private static final Set<String> PREFIXES = Set.of("r", "b", "br", "c", "cr");

  private static final String FENCE = "---";

  private final String text;
  private final Deque<Token> ahead = new ArrayDeque<>();
  private int at;
  private int line = 1;

  RustLexer(byte[] bytes) {
    text = new String(bytes, UTF_8);
    if (peek(0) == BYTE_ORDER_MARK) {
      at++;
    }
    skipShebang();
    skipFrontmatter();
  }

  /** Takes the next token; at the end of the file that is one of kind {@code END}. */
  Token next() {
    Token known = ahead.poll();
    return known != null ? known : read();
  }

  /** Returns the tokens that follow, at most {@code most}, without taking them. */
  Iterator<Token> ahead(int most) {
    while (ahead.size() < most) {
      ahead.add(read());
    }
    return ahead.iterator();
  }

  /** The first line may name a program, unless it begins an attribute. */
  private void skipShebang() {
    if (!text.startsWith("#!", at)) {
      return;
    }
    int start = at;
    at += 2;
    boolean attribute = read().isPunctuator("[");
    at = start;
    line = 1;
    if (!attribute) {
      skipLine();
    }
  }

  /** Lines between fences at the beginning are a manifest of cargo's. */
  private void skipFrontmatter() {
    int start = at;
    while (start < text.length() && isBlank(text.charAt(start))) {
      start++;
    }
    int end = start;
    while (end < text.length() && text.charAt(end) == '-') {
      end++;
    }
    int close =
        text.startsWith(FENCE, start) ? text.indexOf("\n" + text.substring(start, end), end) : -1;
    at = Math.max(start, close < 0 ? start : close + 1 + (end - start));
    line += (int) text.substring(0, at).chars().filter(c -> c == '\n').count();
  }

  private Token read() {
    skipBlanks();
    int start = line;
    int c = peek(0);
    if (c == END) {
      return new Token(Token.Kind.END, "", start);
    }
    if (isIdentifierStart(c)) {
      return word(start);
    }
    if (isDigit(c)) {
      return new Token(Token.Kind.NUMBER, identifier(), start);
    }
    if (c == '"') {
      at++;
      return new Token(Token.Kind.STRING, string('"'), start);
    }
    if (c == '\'') {
      at++;
      return quote(start);
    }
    take();
    return new Token(Token.Kind.PUNCTUATOR, Character.toString(c), start);
  }

  private Token word(int start) {
    String word = identifier();
    int next = peek(0);
    if (!PREFIXES.contains(word) || (next != '"' && next != '\'' && next != '#')) {
      return new Token(Token.Kind.IDENTIFIER, word, start);
    }
    boolean raw = word.endsWith("r");
    if (raw && next != '\'') {
      return rawString(word, start);
    }
    if (next == '"') {
      at++;
      string('"');
      return opaque(start);
    }
    if (word.equals("b") && next == '\'') {
      at++;
      character();
      return opaque(start);
    }
    return new Token(Token.Kind.IDENTIFIER, word, start);
  }

  private static Token opaque(int line) {
    return new Token(Token.Kind.NUMBER, "", line);
  }

  /** Takes {@code "…"}, {@code #"…"#} and so on, or of {@code r#name} the name. */
  private Token rawString(String prefix, int start) {
    int hashes = 0;
    while (at + hashes < text.length() && text.charAt(at + hashes) == '#') {
      hashes++;
    }
    int quote = at + hashes;
    if (quote >= text.length() || text.charAt(quote) != '"') {
      if (prefix.equals("r") && hashes == 1 && isIdentifierStart(peek(1))) {
        at++;
        return new Token(Token.Kind.IDENTIFIER, "r#" + identifier(), start);
      }
      return new Token(Token.Kind.IDENTIFIER, prefix, start);
    }
    int end = text.indexOf('"' + "#".repeat(hashes), quote + 1);
    int close = end < 0 ? text.length() : end;
    String content = text.substring(quote + 1, close);
    countLines(at, close);
    at = Math.min(text.length(), close + 1 + hashes);
    return prefix.equals("r") ? new Token(Token.Kind.STRING, content, start) : opaque(start);
  }

  /** Takes what follows a single quote: the rest of a character or of a lifetime. */
  private Token quote(int start) {
    boolean lifetime = peek(1) != '\'' && (isIdentifierStart(peek(0)) || isDigit(peek(0)));
    if (!lifetime) {
      return new Token(Token.Kind.CHARACTER, character(), start);
    }
    if (peek(0) == 'r' && peek(1) == '#' && isIdentifierStart(peek(2))) {
      take();
      take();
    }
    String name = identifier();
    if (peek(0) == '\'') {
      take();
      return new Token(Token.Kind.CHARACTER, name, start);
    }
    return new Token(Token.Kind.PUNCTUATOR, "'", start);
  }

  /** A quote may also be a stray one of a text that rustc does not read; it ends with its line. */
  private String character() {
    if (peek(1) == '\'' && peek(0) != '\\') {
      String one = Character.toString(take());
      take();
      return one;
    }
    return string('\'');
  }

  /** Takes the rest of a string or character and returns what it stands for. */
  private String string(char end) {
    StringBuilder content = new StringBuilder();
    while (true) {
      int c = peek(0);
      boolean stray = end == '\'' && (c == '/' || (c == '\n' && peek(1) != '\''));
      if (c == END || stray) {
        return content.toString();
      }
      take();
      if (c == end) {
        return content.toString();
      }
      if (c == '\\') {
        escape(content);
      } else {
        content.appendCodePoint(c);
      }
    }
  }

  private void escape(StringBuilder content) {
    int c = take();
    switch (c) {
      case 'n' -> content.append('\n');
      case 'r' -> content.append('\r');
      case 't' -> content.append('\t');
      case '0' -> content.append('\0');
      case 'x' -> code(content, 2);
      case 'u' -> {
        if (peek(0) == '{') {
          take();
          code(content, 12);
          if (peek(0) == '}') {
            take();
          }
        }
      }
      case '\n', '\r' -> skipWhitespace();
      case END -> {}
      default -> content.appendCodePoint(c);
    }
  }

  private void code(StringBuilder content, int most) {
    int value = 0;
    for (int i = 0; i < most; i++) {
      int c = peek(0);
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0 && c != '_') {
        break;
      }
      take();
      value = c == '_' ? value : Math.min(value * 16 + digit, Character.MAX_CODE_POINT);
    }
    content.appendCodePoint(value);
  }

  private String identifier() {
    int start = at;
    while (peek(0) == '_' || isPart(peek(0))) {
      at += Character.charCount(peek(0));
    }
    return text.substring(start, at);
  }

  private void skipBlanks() {
    while (true) {
      skipWhitespace();
      if (text.startsWith("//", at)) {
        skipLine();
      } else if (text.startsWith("/*", at)) {
        skipComment();
      } else {
        return;
      }
    }
  }

  private void skipWhitespace() {
    while (isBlank(peek(0))) {
      take();
    }
  }

  private void skipLine() {
    int end = text.indexOf('\n', at);
    at = end < 0 ? text.length() : end;
  }

  private void skipComment() {
    int depth = 0;
    do {
      if (text.startsWith("/*", at)) {
        at += 2;
        depth++;
      } else if (text.startsWith("*/", at)) {
        at += 2;
        depth--;
      } else {
        take();
      }
    } while (depth > 0 && at < text.length());
  }

  private int take() {
    int c = peek(0);
    if (c != END) {
      at += Character.charCount(c);
      line += c == '\n' ? 1 : 0;
    }
    return c;
  }

  /** Returns a character ahead without taking it, or {@link #END}. */
  private int peek(int characters) {
    int place = at;
    for (int i = 0; i < characters && place < text.length(); i++) {
      place += Character.charCount(text.codePointAt(place));
    }
    return place < text.length() ? text.codePointAt(place) : END;
  }

  private void countLines(int from, int to) {
    for (int i = text.indexOf('\n', from); i >= 0 && i < to; i = text.indexOf('\n', i + 1)) {
      line++;
    }
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isIdentifierStart(int c) {
    return c == '_' || (c >= 0 && Character.isUnicodeIdentifierStart(c));
  }

  private static boolean isPart(int c) {
    return c >= 0 && Character.isUnicodeIdentifierPart(c) && !Character.isIdentifierIgnorable(c);
  }

  /** Unicode's Pattern_White_Space. */
  private static boolean isBlank(int c) {
    return (c >= '\t' && c <= '\r')
        || c == ' '
        || c == 0x85
        || c == 0x200e
        || c == 0x200f
        || c == 0x2028
        || c == 0x2029;
  }
}
