// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the compiler printed, with the user's name for the main file. */
final class CompilerLog {
  private static final Pattern ERROR =
      Pattern.compile("^.*\\b(?:fatal )?error: .*$", Pattern.MULTILINE);
  private static final Pattern LINKER = Pattern.compile("^\\S*lld: .*$", Pattern.MULTILINE);

  private CompilerLog() {}

  /** Returns {@code log} with the staged name before a line number replaced by the user's. */
  static String withUserNames(String log, String stagedName, String userName) {
    return Pattern.compile("(?<![\\w./-])(?:\\./)?" + Pattern.quote(stagedName) + "(?=:\\d)")
        .matcher(log)
        .replaceAll(Matcher.quoteReplacement(userName));
  }

  /** Returns the first line that reports an error. */
  static Optional<String> firstError(String log) {
    return firstMatch(ERROR, log).or(() -> firstMatch(LINKER, log));
  }

  private static Optional<String> firstMatch(Pattern pattern, String log) {
    Matcher matcher = pattern.matcher(log);
    return matcher.find() ? Optional.of(matcher.group().strip()) : Optional.empty();
  }
}
