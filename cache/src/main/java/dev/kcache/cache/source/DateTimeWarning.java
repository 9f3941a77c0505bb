// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Set;

/**
 * Finds what silences {@code -Wdate-time} in a source. kcache makes that warning an error, by which
 * the compiler reports {@code __DATE__}, {@code __TIME__} and {@code __TIMESTAMP__}. Neither a
 * system header nor a group of warnings silences it, except {@code -Weverything} (clang 15 and 21).
 */
final class DateTimeWarning {
  /** Why a source that silences it is refused, and what to do. */
  static final String SILENCED =
      "a pragma silences -Wdate-time, by which the compiler reports __DATE__, __TIME__ and"
          + " __TIMESTAMP__; name the warnings to silence instead of -Weverything, without"
          + " -Wdate-time";

  private static final String NAME = "-Wdate-time";
  private static final String ALL = "-Weverything";
  private static final Set<String> COMPILERS = Set.of("clang", "GCC");

  /** Both make the error a warning or less; {@code error} and {@code fatal} don't. */
  private static final Set<String> SILENCING = Set.of("ignored", "warning");

  private DateTimeWarning() {}

  /** Returns whether a pragma silences it; takes the rest of its line. */
  static boolean isSilencedBy(Lexer pragma) {
    Token kind = pragma.next();
    StringBuilder warning = new StringBuilder();
    for (Token token = kind; !token.endsLine(); token = pragma.next()) {
      warning.append(token.kind() == Token.Kind.STRING ? token.text() : "");
    }
    return SILENCING.contains(kind.text()) && isNamedBy(warning.toString());
  }

  /** Returns whether a string silences it as the text of a {@code _Pragma}. */
  static boolean isSilencedBy(String string) {
    if (!string.contains("diagnostic")) {
      return false;
    }
    Lexer pragma = new Lexer(string.getBytes(ISO_8859_1));
    return COMPILERS.contains(pragma.next().text())
        && pragma.next().isIdentifier("diagnostic")
        && isSilencedBy(pragma);
  }

  /** Returns whether a string is its name, from which a macro may make a pragma. */
  static boolean isNamedBy(String string) {
    return string.equals(NAME) || string.equals(ALL);
  }

  /** Returns whether a word behind a dash is its name, as in {@code IGNORE(-Wdate-time)}. */
  static boolean isNamedBy(String word, Lexer rest) {
    return word.equals("Weverything") || (word.equals("Wdate") && rest.ahead(5).equals("-time"));
  }
}
