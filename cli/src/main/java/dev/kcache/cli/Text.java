// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.Digest;
import dev.kcache.hip.HipRuntime;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes quantities and names for people. Without String.format, which loads the number formats of
 * all languages: 10 ms of a short run.
 */
final class Text {
  private static final int SHORT_DIGEST = 12;
  private static final int SHORTEST_CELL = 8;
  private static final int INDENT = 6;

  /** How many letters may be wrong, missing or too many for a name to be meant. */
  private static final int TYPOS = 2;

  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\u2028\\u2029]+");

  /** What has no glyph, or changes the direction of the text around it. */
  private static final Pattern INVISIBLE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

  private Text() {}

  /** Returns the version of a runtime after its name, such as {@code HIP 6.4.43484}. */
  static String version(HipRuntime runtime) {
    return runtime.kind().name() + " " + runtime.version();
  }

  /** Returns a size with its unit, such as {@code 8.9 kB}; a kB is 1000 bytes. */
  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 999.95 && unit < UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    if (unit == 0) {
      return bytes + " B";
    }
    long tenths = Math.round(value * 10);
    return tenths / 10 + "." + tenths % 10 + " " + UNITS[unit];
  }

  /** Returns a part of a whole, such as {@code 97.5 %}. */
  static String percent(long part, long whole) {
    return Math.round(1000.0 * part / whole) / 10.0 + " %";
  }

  /** Returns a duration in the unit that fits it, such as {@code 350 ms} or {@code 2m 05s}. */
  static String duration(Duration duration) {
    long millis = duration.toMillis();
    if (millis < 1000) {
      return millis + " ms";
    }
    if (millis < 60_000) {
      return millis / 1000 + "." + millis % 1000 / 100 + " s";
    }
    long minutes = duration.toMinutes();
    return minutes < 60
        ? minutes + "m " + twoDigits(duration.toSecondsPart()) + "s"
        : duration.toHours() + "h " + twoDigits(duration.toMinutesPart()) + "m";
  }

  private static String twoDigits(int number) {
    return (number < 10 ? "0" : "") + number;
  }

  /** Returns an age in the largest unit of which it is a whole number, such as {@code 90 days}. */
  static String age(Duration age) {
    if (age.equals(Duration.ofDays(age.toDays()))) {
      return count(age.toDays(), "day");
    }
    if (age.equals(Duration.ofHours(age.toHours()))) {
      return count(age.toHours(), "hour");
    }
    return age.equals(Duration.ofMinutes(age.toMinutes()))
        ? count(age.toMinutes(), "minute")
        : count(age.toSeconds(), "second");
  }

  /** Returns the number with its noun, such as {@code 1 hit} or {@code 2 hits}. */
  static String count(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  /** As {@link #count}, for entries. */
  static String entries(long count) {
    return count == 1 ? "1 entry" : count + " entries";
  }

  /** Returns the first digits of a digest, enough to tell it from others. */
  static String digits(Digest digest) {
    return digits(digest.toString());
  }

  /** As {@link #digits(Digest)}, for a digest as text. */
  static String digits(String digest) {
    return digest.substring(0, SHORT_DIGEST);
  }

  /** Returns the name of a constant in lower case. */
  static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the text with every run of line ends and control characters as one space, and what else
   * cannot be seen spelt out. All names and messages pass here on their way to a terminal.
   */
  static String oneLine(String text) {
    return visible(CONTROL.matcher(text.strip()).replaceAll(" "));
  }

  /** Returns the text with what cannot be seen spelt out, such as {@code \n}. */
  static String visible(String text) {
    return INVISIBLE
        .matcher(text)
        .replaceAll(each -> Matcher.quoteReplacement(spelt(each.group().codePointAt(0))));
  }

  private static String spelt(int character) {
    return switch (character) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> {
        String digits = Integer.toHexString(character);
        yield digits.length() > 4
            ? "\\u{" + digits + "}"
            : "\\u" + "0".repeat(4 - digits.length()) + digits;
      }
    };
  }

  /** Returns the name that is meant by a misspelt one, if any is like it. */
  static Optional<String> closest(String misspelt, Collection<String> names) {
    return names.stream()
        .min(Comparator.comparingInt(name -> distance(misspelt, name)))
        .filter(name -> distance(misspelt, name) <= TYPOS);
  }

  /** Returns how many letters have to be put in, taken out or replaced (Levenshtein). */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int column = 0; column < row.length; column++) {
      row[column] = column;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }

  /** Returns the paths, each in quotes, separated by commas. */
  static String quoted(List<Path> paths) {
    return paths.stream()
        .map(path -> "'" + oneLine(path.toString()) + "'")
        .collect(Collectors.joining(", "));
  }

  /** Returns where nothing was found; a misspelt name shows, since it does not exist. */
  static String places(List<Path> directories) {
    return directories.isEmpty()
        ? ": there is no cache directory"
        : directories.stream()
            .map(each -> quoted(List.of(each)) + (Files.notExists(each) ? " (does not exist)" : ""))
            .collect(Collectors.joining(", ", " in ", ""));
  }

  /** Prints a table with the names of its columns. */
  static void printTable(PrintStream out, List<String> heading, List<List<String>> rows) {
    table(titled(heading, rows)).forEach(out::println);
  }

  /** Returns the names of a table's columns and its rows. */
  static List<List<String>> titled(List<String> heading, List<List<String>> rows) {
    return Stream.concat(Stream.of(heading), rows.stream()).toList();
  }

  /**
   * Returns the lines of a table for a terminal: one column loses the beginnings of its names, then
   * columns at the end are left out, and what is still too long loses its end.
   *
   * @param columns the width to fit; 0 if there is none
   */
  static List<String> fit(List<List<String>> rows, int shortened, int columns) {
    if (columns == 0) {
      return table(rows);
    }
    List<List<String>> fitted = shortened(rows, shortened, columns);
    int most = rows.stream().mapToInt(List::size).max().orElse(0);
    for (int kept = most - 1; kept > shortened && width(fitted) >= columns; kept--) {
      int cells = kept;
      List<List<String>> narrower = rows.stream().map(row -> first(row, cells)).toList();
      fitted = shortened(narrower, shortened, columns);
    }
    return clip(fitted, columns);
  }

  /** Returns the first cells of a row and a sign that there are more. */
  private static List<String> first(List<String> row, int cells) {
    return row.size() <= cells
        ? row
        : Stream.concat(row.stream().limit(cells), Stream.of("…")).toList();
  }

  private static int width(List<List<String>> rows) {
    return table(rows).stream().mapToInt(String::length).max().orElse(0);
  }

  /** Returns the lines of a table, without the ends of those that are too long for a terminal. */
  static List<String> clip(List<List<String>> rows, int columns) {
    return table(rows).stream().map(line -> clip(line, columns)).toList();
  }

  private static String clip(String line, int columns) {
    return columns == 0 || line.length() < columns ? line : line.substring(0, columns - 2) + "…";
  }

  /**
   * As {@link #fit}, for a table that ends in sentences: one column is at most half as wide as the
   * terminal, and what is still too long goes on in a line of its own.
   */
  static List<String> wrap(List<List<String>> rows, int shortened, int columns) {
    return columns == 0
        ? table(rows)
        : table(rows.stream().map(row -> shorten(row, shortened, columns / 2)).toList()).stream()
            .flatMap(line -> wrap(line, INDENT, columns).stream())
            .toList();
  }

  /** Returns the words in lines of that width, the later ones indented; a long word stays whole. */
  static List<String> wrap(String text, int indent, int columns) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    int begin = 0;
    for (String word : text.split("(?<=\\S)(?= )", -1)) {
      if (line.length() + word.length() >= columns && line.length() > begin) {
        lines.add(line.toString());
        line.setLength(0);
        line.append(" ".repeat(indent)).append(word.stripLeading());
        begin = indent;
      } else {
        line.append(word);
      }
    }
    lines.add(line.toString());
    return lines;
  }

  private static List<List<String>> shortened(List<List<String>> rows, int shortened, int columns) {
    int widest = width(rows);
    int longest = rows.stream().mapToInt(row -> row.get(shortened).length()).max().orElse(0);
    // The last column stays free: some terminals wrap when it is written.
    int room = longest - (widest - (columns - 1));
    return rows.stream().map(row -> shorten(row, shortened, room)).toList();
  }

  /** Leaves out the beginning of a cell, since names differ at their ends. */
  private static List<String> shorten(List<String> row, int column, int room) {
    List<String> shortened = new ArrayList<>(row);
    shortened.set(column, end(row.get(column), room));
    return shortened;
  }

  /** Returns a name without its beginning if it is longer than some room. */
  static String end(String name, int room) {
    int kept = Math.max(room, SHORTEST_CELL);
    return name.length() <= kept ? name : "…" + name.substring(name.length() - kept + 1);
  }

  /** Returns a line per row, with the cells of a column below each other. */
  static List<String> table(List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        if (column == widths.size()) {
          widths.add(0);
        }
        widths.set(column, Math.max(widths.get(column), row.get(column).length()));
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, List<Integer> widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < row.size(); column++) {
      String cell = row.get(column);
      line.append(cell).append(" ".repeat(widths.get(column) - cell.length() + 2));
    }
    return line.toString().stripTrailing();
  }
}
