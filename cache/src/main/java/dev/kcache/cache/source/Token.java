// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

/**
 * A preprocessing token. The text is the spelling without splices; of a string, its content with
 * escapes resolved.
 */
record Token(Kind kind, String text, int line) {
  enum Kind {
    IDENTIFIER,
    NUMBER,
    STRING,
    CHARACTER,
    PUNCTUATOR,
    /** The end of a line that no splice and no comment continues. */
    NEWLINE,
    END
  }

  /** Stands before the first one of a line. */
  static final Token NONE = new Token(Kind.NEWLINE, "", 0);

  boolean isPunctuator(String spelling) {
    return kind == Kind.PUNCTUATOR && text.equals(spelling);
  }

  boolean isIdentifier(String spelling) {
    return kind == Kind.IDENTIFIER && text.equals(spelling);
  }

  boolean endsLine() {
    return kind == Kind.NEWLINE || kind == Kind.END;
  }
}
