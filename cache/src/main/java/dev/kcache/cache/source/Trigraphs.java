// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.cache.source.ScannedFile.Problem;
import dev.kcache.cache.source.ScannedFile.Problem.Kind;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Trigraphs, which stand for other characters in strict standards before C++17 and for themselves
 * in all others. The scanner takes them for themselves.
 */
public final class Trigraphs {
  private static final Set<String> STANDARDS =
      Set.of("-std=c++0x", "-std=c++11", "-std=c++1y", "-std=c++14");

  /** Where they would begin a directive, end a line, or stand before what a backslash escapes. */
  private static final Pattern TRIGRAPH =
      Pattern.compile(
          "(?:^|(?<=[\\r\\n])|\\*/)[ \\t\\f\\x0b]*\\?\\?="
              + "|\\?\\?/(?=[ \\t\\f\\x0b]*(?:[\\r\\n]|$)|[\"'\\\\xuUoN0-7])");

  private Trigraphs() {}

  /** Returns whether an option has the compiler replace them. */
  public static boolean areReplacedBy(String option) {
    return STANDARDS.contains(option);
  }

  /** Returns the first one that would change what a text includes. */
  static Optional<Problem> problemOf(byte[] text) {
    String characters = new String(text, ISO_8859_1);
    Matcher trigraph = TRIGRAPH.matcher(characters);
    if (!characters.contains("??") || !trigraph.find()) {
      return Optional.empty();
    }
    String before = characters.substring(0, trigraph.end());
    String last = before.substring(before.length() - 1);
    return Optional.of(
        new Problem(
            1 + (int) before.chars().filter(c -> c == '\n').count(),
            "the trigraph ??"
                + last
                + " means another character in this standard; use -std=c++17 or newer, or write "
                + (last.equals("=") ? "#" : "a backslash"),
            Kind.TRIGRAPH));
  }
}
