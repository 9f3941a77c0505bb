// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the compiler printed, with the user's names for the files. */
final class CompilerLog {
  private static final Pattern ERROR =
      Pattern.compile("^.*\\b(?:fatal )?error: .*$", Pattern.MULTILINE);
  private static final Pattern LINKER = Pattern.compile("^\\S*lld: .*$", Pattern.MULTILINE);

  /** As clang and lld begin a line that is about a place in a file. */
  private static final Pattern LOCATION =
      Pattern.compile(
          "^(In file included from |>>> referenced by |)([^:\\n]+)(?=:\\d)", Pattern.MULTILINE);

  private CompilerLog() {}

  /** Returns {@code log} with the staged names before line numbers replaced by the user's. */
  static String withUserNames(String log, Map<String, String> displayNames) {
    return LOCATION
        .matcher(log)
        .replaceAll(
            location -> {
              String display = displayNames.get(normalized(location.group(2)));
              return Matcher.quoteReplacement(
                  display == null ? location.group() : location.group(1) + display);
            });
  }

  /** A header may be found by way of others, such as {@code src/k/../common.h}. */
  private static String normalized(String file) {
    try {
      return Path.of(file).normalize().toString();
    } catch (InvalidPathException e) {
      return file;
    }
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
