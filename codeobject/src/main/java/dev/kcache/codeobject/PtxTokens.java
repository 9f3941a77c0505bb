// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * Splits the text of an untrusted PTX module into tokens: words (directives, names, numbers),
 * strings, and single characters. Blanks and comments lie between them. Makes a string of a token
 * only on request, so it takes no memory, however long the module is.
 */
final class PtxTokens {
  /** More than the name of any kernel, which C++ makes longest. */
  private static final int LONGEST_WORD = 65_536;

  private static final String WHAT = "PTX";

  private final ImageReader image;
  private final TextReader texts;
  private final long end;
  private long start;
  private long position;

  /**
   * Creates the tokens of an image's first bytes.
   *
   * @param end where the text ends
   */
  PtxTokens(ImageReader image, long end) {
    this.image = image;
    this.texts = new TextReader(image);
    this.end = end;
  }

  /** Goes to the next token; returns whether there is one. */
  boolean next() {
    skipBlanksAndComments();
    start = position;
    if (position == end) {
      return false;
    }
    int first = peek();
    if (isWordCharacter(first)) {
      while (position < end && isWordCharacter(peek())) {
        position++;
      }
    } else if (first == '"') {
      skipString();
    } else if (first > ' ' && first <= '~') {
      position++;
    } else {
      throw malformed("PTX must be ASCII text but for comments, has the byte " + first);
    }
    return true;
  }

  /**
   * Goes to the end of a body, whose opening brace is the token.
   *
   * @param each called at each token in it; may go on by itself
   */
  void body(Runnable each) {
    long open = start;
    for (long depth = 1; depth > 0; ) {
      if (!next()) {
        throw new MalformedCodeObjectException(open, "a { must be followed by its }");
      }
      each.run();
      depth += is('{') ? 1 : is('}') ? -1 : 0;
    }
  }

  /** Goes to the next token, which must be there. */
  void require(String expected) {
    if (!next()) {
      throw malformed("PTX must go on with %s, ends", expected);
    }
  }

  /** Goes to the next token, which must be a certain character. */
  void require(char character) {
    require(Character.toString(character));
    if (!is(character)) {
      throw malformed("PTX must go on with " + character);
    }
  }

  /** Returns whether the token is that character. */
  boolean is(char character) {
    return position - start == 1 && image.u8(start, WHAT) == character;
  }

  /** Returns whether the token is that word. */
  boolean is(String word) {
    return position - start == word.length() && image.has(start, word);
  }

  /** Returns whether the token is a word. */
  boolean isWord() {
    return position > start && isWordCharacter(image.u8(start, WHAT));
  }

  /** Returns whether the token is a directive, or the like: a word that begins with a dot. */
  boolean isDirective() {
    return position > start && image.u8(start, WHAT) == '.';
  }

  /** Returns where the token begins. */
  long start() {
    return start;
  }

  /** Returns the text of the token, which must be a word and not too long. */
  String word(String what) {
    requireWord(what);
    return texts.text(start, start, (int) (position - start), what);
  }

  /** Returns the text of a token that is likely to come again. */
  String repeatedWord(String what) {
    requireWord(what);
    return texts.word(start, start, (int) (position - start), what);
  }

  private void requireWord(String what) {
    if (!isWord() || position - start > LONGEST_WORD) {
      throw malformed("%s must be a word of at most %d characters", what, LONGEST_WORD);
    }
  }

  /** Returns the number that the token is, which must not be negative. */
  int number(String what) {
    long number = 0;
    boolean sound = position > start && position - start <= 10;
    for (long at = start; sound && at < position; at++) {
      int digit = image.u8(at, what) - '0';
      sound = digit >= 0 && digit <= 9;
      number = 10 * number + digit;
    }
    if (!sound || number > Integer.MAX_VALUE) {
      throw malformed(what + " must be a decimal number below 2^31");
    }
    return (int) number;
  }

  /** Returns a refusal that blames the token. */
  MalformedCodeObjectException malformed(String expectation) {
    return new MalformedCodeObjectException(start, expectation);
  }

  /** As the other, with a text to format. */
  MalformedCodeObjectException malformed(String format, Object... arguments) {
    return new MalformedCodeObjectException(start, format, arguments);
  }

  private void skipBlanksAndComments() {
    while (position < end) {
      int first = peek();
      if (isBlank(first)) {
        position++;
      } else if (first == '/' && position + 1 < end && image.has(position, "//")) {
        while (position < end && peek() != '\n') {
          position++;
        }
      } else if (first == '/' && position + 1 < end && image.has(position, "/*")) {
        skipComment();
      } else {
        return;
      }
    }
  }

  private void skipComment() {
    start = position;
    position += 2;
    while (position + 1 >= end || !image.has(position, "*/")) {
      if (position + 1 >= end) {
        throw malformed("a comment must end in */");
      }
      position++;
    }
    position += 2;
  }

  private void skipString() {
    position++;
    while (position < end && peek() != '"') {
      position += peek() == '\\' ? 2 : 1;
    }
    if (position >= end) {
      position = end;
      throw malformed("a string must end in \"");
    }
    position++;
  }

  private int peek() {
    return image.u8(position, WHAT);
  }

  static boolean isBlank(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  private static boolean isWordCharacter(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '.'
        || c == '$'
        || c == '%';
  }
}
