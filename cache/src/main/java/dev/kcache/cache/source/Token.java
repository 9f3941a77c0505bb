// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

/**
 * A preprocessing token.
 *
 * @param kind what it is
 * @param text the spelling without splices; of a string, its content with escapes resolved
 * @param line where it begins, from 1
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
