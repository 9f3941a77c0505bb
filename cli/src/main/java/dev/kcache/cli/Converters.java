// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheLimits;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.HipRuntime;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the values of options. Each method throws {@link IllegalArgumentException} with one line
 * that quotes a wrong value and says how to write a right one.
 */
final class Converters {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|)");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern SHARD = Pattern.compile("(\\d{1,6})/(\\d{1,6})");
  private static final Pattern SHARE = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)%");
  private static final Pattern COUNT = Pattern.compile("(\\d{1,10})([kMG]?)");
  private static final int MOST_ELEMENTS = 2_000_000_000;
  private static final Duration LONGEST = Duration.ofHours(12);
  private static final int MOST_JOBS = 1024;

  private Converters() {}

  /** Reads any text. */
  static String text(String text) {
    return text;
  }

  /** Reads the name of a runtime. */
  static HipRuntime.Kind runtime(String text) {
    return Stream.of(HipRuntime.Kind.values())
        .filter(kind -> kind.toString().equals(text))
        .findFirst()
        .orElseThrow(() -> wrong(text, "is not a runtime; there are hip, hsa and cuda"));
  }

  /** Reads the name of a file or directory. */
  static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("cannot convert '" + text + "' to Path (" + e + ")", e);
    }
  }

  /**
   * Reads target IDs, families and products, separated by commas, or by semicolons and spaces as in
   * CMake's {@code AMDGPU_TARGETS}. Nothing between two commas is an error.
   */
  static List<TargetId> targets(String text) {
    return Stream.of(text.split(",", -1))
        .flatMap(list -> Stream.of(list.replace(';', ' ').strip().split("\\s+")))
        .flatMap(name -> TargetId.parseAll(name).stream())
        .toList();
  }

  /** Reads the target ID of one device. */
  static TargetId device(String text) {
    List<TargetId> targets = targets(text);
    if (targets.size() > 1) {
      throw wrong(text, "stands for several targets; name one");
    }
    return targets.get(0);
  }

  /** Reads a time limit such as {@code 90s}, {@code 2m} or {@code 1h}; a bare number is seconds. */
  static Duration timeLimit(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (matcher.matches()) {
      ChronoUnit unit =
          switch (matcher.group(2)) {
            case "ms" -> ChronoUnit.MILLIS;
            case "m" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            default -> ChronoUnit.SECONDS;
          };
      Duration limit = Duration.of(Long.parseLong(matcher.group(1)), unit);
      if (!limit.isZero() && limit.compareTo(LONGEST) <= 0) {
        return limit;
      }
    }
    throw wrong(text, "is not a time of at most 12h; write it like 500ms, 90s, 2m or 1h");
  }

  /** Reads how long ago something was, such as {@code 90m}, {@code 12h} or {@code 30d}. */
  static Duration age(String text) {
    try {
      Optional<Duration> age = CacheLimits.parseAge(text);
      if (age.isPresent() || text.startsWith("0")) {
        return age.orElse(Duration.ZERO);
      }
    } catch (IllegalArgumentException e) {
      // The message below fits better: here nothing is unlimited.
    }
    throw wrong(text, "is not an age; write it like 90m, 12h or 30d");
  }

  /** Reads a part of the work, such as {@code 2/8}. */
  static Shard shard(String text) {
    Matcher matcher = SHARD.matcher(text);
    if (matcher.matches()) {
      int number = Integer.parseInt(matcher.group(1));
      int count = Integer.parseInt(matcher.group(2));
      if (number >= 1 && number <= count) {
        return new Shard(number, count);
      }
    }
    throw wrong(text, "is not a part such as 2/8, the second of eight");
  }

  /** Reads a number of elements such as {@code 1000}, {@code 64k} or {@code 1M}. */
  static int elements(String text) {
    Matcher matcher = COUNT.matcher(text);
    if (matcher.matches()) {
      long unit =
          switch (matcher.group(2)) {
            case "k" -> 1_000;
            case "M" -> 1_000_000;
            case "G" -> 1_000_000_000;
            default -> 1;
          };
      long count = Long.parseLong(matcher.group(1)) * unit;
      if (count >= 1 && count <= MOST_ELEMENTS) {
        return (int) count;
      }
    }
    throw wrong(text, "is not a number of elements from 1 to 2G; write it like 1000, 64k or 1M");
  }

  /**
   * Reads the URLs of remotes, separated by commas. They may hold passwords, and are not quoted.
   */
  static List<URI> remotes(String text) {
    return Stream.of(text.split(",", -1)).map(String::strip).map(Converters::remote).toList();
  }

  /** Reads the URL of a remote, which may hold a password and is not quoted. */
  static URI remote(String text) {
    try {
      URI remote = new URI(text);
      if (remote.getScheme() != null) {
        return remote;
      }
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "no URL: %s at character %d; write it like redis://HOST"
              .formatted(e.getReason(), e.getIndex() + 1),
          e);
    }
    throw new IllegalArgumentException("a URL without a scheme; write it like redis://HOST");
  }

  /** Reads how many compiles may run at once. */
  static int jobs(String text) {
    int jobs = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
    if (jobs >= 1 && jobs <= MOST_JOBS) {
      return jobs;
    }
    throw wrong(text, "is not a number of compiles from 1 to " + MOST_JOBS);
  }

  /** Reads a share such as {@code 5%}, or {@code all}; returns it in percent. */
  static double share(String text) {
    Matcher matcher = SHARE.matcher(text);
    double share = text.equals("all") ? 100 : 0;
    if (matcher.matches()) {
      share = Double.parseDouble(matcher.group(1));
    }
    if (share > 0 && share <= 100) {
      return share;
    }
    throw wrong(text, "is not a share; write it like 5%, or all");
  }

  /** Reads the one word that an argument takes; {@code problem} follows any other word. */
  static String only(String word, String text, String problem) {
    if (text.equals(word)) {
      return text;
    }
    throw wrong(text, problem);
  }

  private static IllegalArgumentException wrong(String text, String problem) {
    return new IllegalArgumentException("'" + text + "' " + problem);
  }
}
