// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.nio.charset.StandardCharsets;

/**
 * Reads one JSON document, in ASCII, from front to back: the part of a JSON library that a hit
 * needs. Loading one takes the first hit of a process a third of its time.
 *
 * <p>It is strict: what is not JSON, is not ASCII or is nested deeper than 32 is damage, also where
 * it is skipped. Every step moves on in the text, and what it makes is never larger than the text.
 * Not safe for use by several threads.
 */
final class JsonReader {
  private static final int MAX_DEPTH = 32;

  private final byte[] text;
  private int position;
  private int depth;

  /** Whether the next element of the innermost object or array is its first. */
  private boolean first;

  JsonReader(byte[] text) {
    this.text = text;
  }

  /** Returns the character that the next value, name or bracket begins with; 0 at the end. */
  char peek() {
    while (position < text.length) {
      byte next = text[position];
      if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
        return (char) next;
      }
      position++;
    }
    return 0;
  }

  /** Enters an object or array, which begins with {@code bracket}. */
  void enter(char bracket) throws DamagedEntryException {
    take(bracket);
    if (++depth > MAX_DEPTH) {
      throw damaged("brackets at most " + MAX_DEPTH + " deep");
    }
    first = true;
  }

  /**
   * Goes to the next element of the innermost object or array, or leaves it.
   *
   * @param bracket what ends it
   * @return whether there is one
   */
  boolean hasNext(char bracket) throws DamagedEntryException {
    if (peek() == bracket) {
      position++;
      depth--;
      first = false;
      return false;
    }
    if (!first) {
      take(',');
    }
    first = false;
    return true;
  }

  /** Reads the name of a field, up to its value. */
  String name() throws DamagedEntryException {
    String name = string();
    take(':');
    return name;
  }

  /** Reads a string. */
  String string() throws DamagedEntryException {
    take('"');
    int start = position;
    int end = start;
    while (end < text.length && isPlain(text[end])) {
      end++;
    }
    position = end;
    if (end == text.length) {
      throw damaged("the end of a string");
    }
    if (text[end] == '"') {
      position++;
      return new String(text, start, end - start, StandardCharsets.ISO_8859_1);
    }
    requirePlain(text[end]);
    return unescaped(start);
  }

  /** Most characters are letters and digits, so it takes two comparisons for most. */
  private static boolean isPlain(byte character) {
    return character > '"' ? character != '\\' : character == '!' || character == ' ';
  }

  /** Reads a number, as it is written. */
  String number() throws DamagedEntryException {
    peek();
    int start = position;
    skipIf('-');
    if (!skipIf('0')) {
      digits();
    }
    if (skipIf('.')) {
      digits();
    }
    if (skipIf('e') || skipIf('E')) {
      if (!skipIf('+')) {
        skipIf('-');
      }
      digits();
    }
    return new String(text, start, position - start, StandardCharsets.ISO_8859_1);
  }

  /** Passes over a value of any type. */
  void skip() throws DamagedEntryException {
    switch (peek()) {
      case '"' -> string();
      case '{' -> {
        enter('{');
        while (hasNext('}')) {
          name();
          skip();
        }
      }
      case '[' -> {
        enter('[');
        while (hasNext(']')) {
          skip();
        }
      }
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> number();
    }
  }

  /** Checks that nothing follows. */
  void end() throws DamagedEntryException {
    peek();
    if (position < text.length) {
      throw damaged("nothing more");
    }
  }

  /** Goes on with a string at its first backslash. */
  private String unescaped(int start) throws DamagedEntryException {
    StringBuilder string = new StringBuilder();
    string.append(new String(text, start, position - start, StandardCharsets.ISO_8859_1));
    while (position < text.length) {
      byte next = text[position++];
      if (next == '"') {
        return string.toString();
      }
      requirePlain(next);
      string.append(next == '\\' ? escaped() : (char) next);
    }
    throw damaged("the end of a string");
  }

  private char escaped() throws DamagedEntryException {
    byte escape = position < text.length ? text[position++] : 0;
    return switch (escape) {
      case '"', '\\', '/' -> (char) escape;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hexadecimal();
      default -> throw damaged("an escaped character");
    };
  }

  private char hexadecimal() throws DamagedEntryException {
    int character = 0;
    for (int i = 0; i < 4; i++) {
      int digit = position < text.length ? Character.digit((char) text[position], 16) : -1;
      if (digit < 0) {
        throw damaged("four hexadecimal digits");
      }
      character = character << 4 | digit;
      position++;
    }
    return (char) character;
  }

  private void digits() throws DamagedEntryException {
    int start = position;
    while (position < text.length && text[position] >= '0' && text[position] <= '9') {
      position++;
    }
    if (position == start) {
      throw damaged("a value");
    }
  }

  private void word(String word) throws DamagedEntryException {
    for (int i = 0; i < word.length(); i++) {
      if (!skipIf(word.charAt(i))) {
        throw damaged(word);
      }
    }
  }

  private boolean skipIf(char expected) {
    boolean there = position < text.length && text[position] == expected;
    if (there) {
      position++;
    }
    return there;
  }

  private void take(char expected) throws DamagedEntryException {
    if (peek() != expected) {
      throw damaged("'" + expected + "'");
    }
    position++;
  }

  /** Control characters are escaped in JSON, and what is beyond ASCII, below zero, in a record. */
  private void requirePlain(byte character) throws DamagedEntryException {
    if (character < ' ') {
      throw damaged("an escaped character");
    }
  }

  private DamagedEntryException damaged(String expected) {
    return new DamagedEntryException("not a record: expected " + expected + " at byte " + position);
  }
}
