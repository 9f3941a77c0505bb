// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A C++ expression in one line that names one kernel, such as an instance of a template.
 *
 * @param text the expression in its canonical form: blanks only where they separate tokens, and
 *     after commas
 */
record Instantiation(String text) {
  private static final int MOST_CHARACTERS = 4096;

  private static final Pattern FORBIDDEN = Pattern.compile("[^\\w \\t:<>,()*&+~\\[\\]'/%=!|^.?-]");

  /** What would begin a comment, or stands for a character that is forbidden. */
  private static final Pattern DISGUISE = Pattern.compile("//|/\\*|\\?\\?|%:|<%|%>");

  /** A number, a character, a name or one punctuation mark. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\.?[0-9][\\w.']*(?:(?<=[eEpP])[+-][\\w.']*)*"
              + "|(?:u8|[uUL])?'[^']+'"
              + "|[A-Za-z_]\\w*"
              + "|[^\\w \\t]");

  /** Marks that together are another token. Of two {@code >}, a template ends twice. */
  private static final Set<String> PAIRS =
      Set.of(
          "++", "--", "&&", "||", "::", "<<", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=",
          "&=", "|=", "^=", "->", "//", "/*", "<:", ":>", "<%", "%>", "%:", "??");

  /**
   * Returns the instantiation that an expression names.
   *
   * @throws IllegalArgumentException if it can't be one expression in one line
   */
  static Instantiation parse(String expression) {
    String shown = expression.replaceAll("\\p{Cntrl}", "?").strip();
    objection(expression)
        .ifPresent(
            objection -> {
              throw new IllegalArgumentException(
                  "instantiation '%s': %s; name one kernel, such as saxpy<float, 4>"
                      .formatted(
                          shown.length() <= 200 ? shown : shown.substring(0, 200) + "...",
                          objection));
            });
    return new Instantiation(canonical(expression));
  }

  private static Optional<String> objection(String expression) {
    if (expression.isBlank()) {
      return Optional.of("it is empty");
    }
    if (expression.length() > MOST_CHARACTERS) {
      return Optional.of("it has more than " + MOST_CHARACTERS + " characters");
    }
    for (Pattern pattern : new Pattern[] {FORBIDDEN, DISGUISE}) {
      Matcher found = pattern.matcher(expression);
      if (found.find()) {
        return Optional.of("it can't have " + shown(found.group()));
      }
    }
    return unbalanced(expression);
  }

  private static String shown(String text) {
    return text.charAt(0) > ' ' && text.charAt(0) < 0x7f
        ? text
        : "the character U+%04X".formatted(text.codePointAt(0));
  }

  private static Optional<String> unbalanced(String expression) {
    Deque<Character> open = new ArrayDeque<>();
    Matcher tokens = TOKEN.matcher(expression);
    while (tokens.find()) {
      switch (tokens.group()) {
        case "(" -> open.push(')');
        case "[" -> open.push(']');
        case ")", "]" -> {
          if (open.isEmpty() || open.pop() != tokens.group().charAt(0)) {
            return Optional.of("a " + tokens.group() + " closes nothing");
          }
        }
        case "'" -> {
          return Optional.of("a ' has no end");
        }
        default -> {}
      }
    }
    return open.isEmpty() ? Optional.empty() : Optional.of("a " + open.pop() + " is missing");
  }

  /** Returns the canonical form of an expression, or some text if it is none. */
  static String canonical(String expression) {
    StringBuilder text = new StringBuilder();
    Matcher tokens = TOKEN.matcher(expression);
    int end = 0;
    while (tokens.find()) {
      boolean separate = tokens.start() > end && !text.isEmpty();
      if (text.length() > 0 && text.charAt(text.length() - 1) == ',') {
        text.append(' ');
      } else if (separate && wouldJoin(text, tokens.group())) {
        text.append(' ');
      }
      text.append(tokens.group());
      end = tokens.end();
    }
    return text.toString();
  }

  private static boolean wouldJoin(StringBuilder before, String token) {
    char last = before.charAt(before.length() - 1);
    char first = token.charAt(0);
    return (isOfWord(last) && isOfWord(first))
        || (isOfWord(last) && (first == '+' || first == '-') && "eEpP".indexOf(last) >= 0)
        || (first == '*' && (last == '.' || before.toString().endsWith("->")))
        || PAIRS.contains("" + last + first);
  }

  /** A dot or an apostrophe may be part of a number. */
  private static boolean isOfWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '\'';
  }
}
