// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheLimits;
import dev.kcache.codeobject.TargetId;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How the values of options are read. */
final class Converters {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|)");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern SHARD = Pattern.compile("(\\d{1,6})/(\\d{1,6})");
  private static final Pattern COUNT = Pattern.compile("(\\d{1,10})([kMG]?)");
  private static final int MOST_ELEMENTS = 2_000_000_000;
  private static final Duration LONGEST = Duration.ofHours(12);
  private static final int MOST_JOBS = 1024;

  private Converters() {}

  /** Reads any text. */
  static String text(String text) {
    return text;
  }

  /** Reads the name of a file or directory. */
  static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new TypeConversionException("cannot convert '" + text + "' to Path (" + e + ")");
    }
  }

  /**
   * Reads target IDs, families and products with commas between them, or semicolons and spaces as
   * in CMake's {@code AMDGPU_TARGETS}. Nothing between two commas is an error.
   */
  static final class Targets implements ITypeConverter<TargetGroup> {
    @Override
    public TargetGroup convert(String text) {
      try {
        return new TargetGroup(
            Stream.of(text.split(",", -1))
                .flatMap(Targets::names)
                .flatMap(each -> TargetId.parseAll(each).stream())
                .toList());
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }

    private static Stream<String> names(String list) {
      String names = list.replace(';', ' ').strip();
      return Stream.of(names.split("\\s+"));
    }
  }

  /** Reads a time limit such as {@code 90s}, {@code 2m} or {@code 1h}; a bare number is seconds. */
  static final class TimeLimit implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      Matcher matcher = DURATION.matcher(text);
      if (matcher.matches()) {
        Duration limit = Duration.of(Long.parseLong(matcher.group(1)), unit(matcher.group(2)));
        if (!limit.isZero() && limit.compareTo(LONGEST) <= 0) {
          return limit;
        }
      }
      throw new TypeConversionException(
          "'" + text + "' is not a time of at most 12h; write it like 500ms, 90s, 2m or 1h");
    }

    private static ChronoUnit unit(String suffix) {
      return switch (suffix) {
        case "ms" -> ChronoUnit.MILLIS;
        case "m" -> ChronoUnit.MINUTES;
        case "h" -> ChronoUnit.HOURS;
        default -> ChronoUnit.SECONDS;
      };
    }
  }

  /** Reads how long ago something was, such as {@code 90m}, {@code 12h} or {@code 30d}. */
  static final class Age implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        Optional<Duration> age = CacheLimits.parseAge(text);
        if (age.isPresent() || text.startsWith("0")) {
          return age.orElse(Duration.ZERO);
        }
      } catch (IllegalArgumentException e) {
        // Told below.
      }
      throw new TypeConversionException(
          "'" + text + "' is not an age; write it like 90m, 12h or 30d");
    }
  }

  /** Reads which toolchain's entries are meant, of which only those of no present one can be. */
  static final class Staleness implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (text.equals("stale")) {
        return text;
      }
      throw new TypeConversionException("'" + text + "' is not a toolchain; there is stale");
    }
  }

  /** Reads how much of a disk may be taken. */
  static final class MaxSize implements ITypeConverter<OptionalLong> {
    @Override
    public OptionalLong convert(String text) {
      try {
        return CacheLimits.parseSize(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Reads how long something may go unused. */
  static final class MaxAge implements ITypeConverter<Optional<Duration>> {
    @Override
    public Optional<Duration> convert(String text) {
      try {
        return CacheLimits.parseAge(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Reads the target ID of one device. */
  static final class Device implements ITypeConverter<TargetId> {
    @Override
    public TargetId convert(String text) {
      TargetGroup group = new Targets().convert(text);
      if (group.targets().size() > 1) {
        throw new TypeConversionException("'" + text + "' stands for several targets; name one");
      }
      return group.targets().get(0);
    }
  }

  /** Reads a part of the work, such as {@code 2/8}. */
  static final class ShardOf implements ITypeConverter<Shard> {
    @Override
    public Shard convert(String text) {
      Matcher matcher = SHARD.matcher(text);
      if (matcher.matches()) {
        int number = Integer.parseInt(matcher.group(1));
        int count = Integer.parseInt(matcher.group(2));
        if (number >= 1 && number <= count) {
          return new Shard(number, count);
        }
      }
      throw new TypeConversionException(
          "'" + text + "' is not a part such as 2/8, the second of eight");
    }
  }

  /** Reads a number of elements such as {@code 1000}, {@code 64k} or {@code 1M}. */
  static final class Elements implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
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
      throw new TypeConversionException(
          "'" + text + "' is not a number of elements from 1 to 2G; write it like 1000, 64k or 1M");
    }
  }

  /** Reads the name of a kernel that {@code kcache run} knows. */
  static final class Demonstration implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (text.equals(VectorAdd.KERNEL)) {
        return text;
      }
      throw new TypeConversionException("'" + text + "' is not a kernel to run; there is vadd");
    }
  }

  /** Reads how many compiles may run at once. */
  static final class Jobs implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      if (NUMBER.matcher(text).matches()) {
        int jobs = Integer.parseInt(text);
        if (jobs >= 1 && jobs <= MOST_JOBS) {
          return jobs;
        }
      }
      throw new TypeConversionException(
          "'" + text + "' is not a number of compiles from 1 to " + MOST_JOBS);
    }
  }
}
