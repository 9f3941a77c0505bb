// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Set;

/**
 * Finds what silences {@code -Wdate-time} in a source. By that warning, which is an error to
 * kcache, the compiler tells that it expands {@code __DATE__}, {@code __TIME__} or {@code
 * __TIMESTAMP__}. A system header does not silence it, nor does any group of warnings but {@code
 * -Weverything} (clang 15 and 21).
 */
final class DateTimeWarning {
  /** What a source is told that silences it, and what to do. */
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

  /**
   * Returns whether a pragma silences it, of which {@code clang diagnostic} was taken; takes the
   * rest of the line.
   */
  static boolean isSilencedBy(Lexer pragma) {
    Token action = pragma.next();
    StringBuilder warning = new StringBuilder();
    for (Token token = action; !token.endsLine(); token = pragma.next()) {
      warning.append(token.kind() == Token.Kind.STRING ? token.text() : "");
    }
    return SILENCING.contains(action.text()) && isMeantBy(warning.toString());
  }

  /**
   * Returns whether a string does: as the text of a {@code _Pragma}, or as the warning's name that
   * a macro makes one of.
   *
   * @param argument whether it is the first argument of what may be such a macro
   */
  static boolean isSilencedBy(String string, boolean argument) {
    if (!string.contains("diagnostic")) {
      return argument && isMeantBy(string);
    }
    Lexer pragma = new Lexer(string.getBytes(ISO_8859_1));
    return COMPILERS.contains(pragma.next().text())
        && pragma.next().isIdentifier("diagnostic")
        && isSilencedBy(pragma);
  }

  /** Returns whether an identifier behind a dash may be the first of its name; costs nothing. */
  static boolean mayBeginWith(String identifier) {
    return identifier.equals("Wdate") || identifier.equals("Weverything");
  }

  /** Returns whether what follows a dash is its name, as of {@code IGNORE(-Wdate-time)}. */
  static boolean isNamedBy(String text) {
    return text.startsWith("Wdate-time") || text.matches("Weverything\\b.*");
  }

  /** Returns whether a macro may have this name: other functions take strings too. */
  static boolean isLikeAMacro(String name) {
    return name.matches("[A-Z_][A-Z0-9_]+");
  }

  private static boolean isMeantBy(String warning) {
    return warning.equals(NAME) || warning.equals(ALL);
  }
}
