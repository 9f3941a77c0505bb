// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts by target and source, the time since which they count, and how many requests were hits on
 * each of the latest days. A bounded number of sources have rows of their own; all others share one
 * row for each target.
 *
 * <p>The text form has a line for the schema, the time, each file whose counts are included, each
 * day, each row, what came from remotes and went there, and an end mark, without which it is
 * damaged. Files of earlier versions have no days and no remotes. Short processes write it at their
 * end, so it needs no library. Not safe for use by several threads.
 */
public final class UsageTable {
  /** The columns, in their order. */
  public static final int MEMORY_HITS = 0;

  public static final int DISK_HITS = 1;
  public static final int MISSES = 2;
  public static final int COMPILES = 3;
  public static final int FAILED_COMPILES = 4;
  public static final int NOT_KEPT = 5;
  public static final int COMPILE_NANOS = 6;
  public static final int SAVED_NANOS = 7;
  public static final int REMOTE_HITS = 8;
  public static final int UPLOADED = 9;
  public static final int NOT_UPLOADED = 10;
  public static final int COLUMNS = 11;

  /** The columns of a row; the others stand in a line of their own, where one is not zero. */
  private static final int ROW_COLUMNS = REMOTE_HITS;

  /** More than most caches have kernels; each takes a hundred bytes. */
  public static final int MOST_ROWS = 4000;

  /** The days that are kept. */
  public static final int MOST_DAYS = 14;

  /** The last day of the year 9999; a file with a later one is damaged. */
  private static final long LAST_DAY = 2_932_896;

  /** Far more than the rows take. */
  static final int MAX_BYTES = 4 << 20;

  private static final String SCHEMA = "kcache.usage/1";
  private static final String SINCE = "since ";
  private static final String ABSORBED = "absorbed ";
  private static final String DAY = "day ";
  private static final String ROW = "row ";
  private static final String REMOTE = "remote ";
  private static final String END = "end";
  private static final int LONGEST_SOURCE = 200;

  private final Map<String, Row> rows = new LinkedHashMap<>();
  private final SortedMap<Long, Day> days = new TreeMap<>();
  private final List<String> absorbed = new ArrayList<>();
  private long since;

  /**
   * A line of counts.
   *
   * @param target the target
   * @param source the source's logical name; empty for the sources without a row of their own
   * @param counts by column
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Row(String target, String source, long[] counts) {}

  /** How many requests were hits and misses on a day. */
  public record Day(long hits, long misses) {
    private Day plus(Day other) {
      return new Day(sum(hits, other.hits), sum(misses, other.misses));
    }
  }

  /** Creates an empty table that counts since a time, in milliseconds since 1970. */
  public UsageTable(long since) {
    this.since = since;
  }

  /** Adds counts to the row of a source for a target. */
  public void add(String target, String source, long[] counts) {
    if (source.length() > LONGEST_SOURCE) {
      add(target, "", counts);
      return;
    }
    String key = target + " " + source;
    Row row = rows.get(key);
    if (row != null) {
      addTo(row.counts(), counts);
    } else if (source.isEmpty() || rows.size() < MOST_ROWS) {
      rows.put(key, new Row(target, source, counts.clone()));
    } else {
      add(target, "", counts);
    }
  }

  /** Adds requests to a day, counted in days since 1970 (UTC); only the latest days are kept. */
  public void addDay(long epochDay, Day day) {
    days.merge(epochDay, day, Day::plus);
    if (days.size() > MOST_DAYS) {
      days.remove(days.firstKey());
    }
  }

  void add(UsageTable other) {
    since = Math.min(since, other.since);
    other.days.forEach(this::addDay);
    for (Row row : other.rows.values()) {
      add(row.target(), row.source(), row.counts());
    }
  }

  /** Adds counts column by column; a sum that overflows is {@link Long#MAX_VALUE}. */
  public static void addTo(long[] sums, long[] counts) {
    for (int i = 0; i < COLUMNS; i++) {
      sums[i] = sum(sums[i], counts[i]);
    }
  }

  private static long sum(long one, long other) {
    long sum = one + other;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** Returns whether nothing has been counted. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Returns the time since which it counts, in milliseconds since 1970. */
  public long since() {
    return since;
  }

  /** Returns the rows, in no particular order. */
  public Collection<Row> rows() {
    return rows.values();
  }

  /** Returns the latest days on which something was counted, by day since 1970, the first first. */
  public SortedMap<Long, Day> days() {
    return days;
  }

  /** Returns the names of the files whose counts are included. */
  List<String> absorbed() {
    return absorbed;
  }

  byte[] encode() {
    StringBuilder text = new StringBuilder();
    text.append(SCHEMA).append('\n').append(SINCE).append(since).append('\n');
    for (String name : absorbed) {
      text.append(ABSORBED).append(name).append('\n');
    }
    days.forEach(
        (epochDay, day) ->
            text.append(DAY)
                .append(epochDay)
                .append(' ')
                .append(day.hits())
                .append(' ')
                .append(day.misses())
                .append('\n'));
    for (Row row : rows.values()) {
      append(text, ROW, row, 0, ROW_COLUMNS);
      if (Arrays.stream(row.counts(), ROW_COLUMNS, COLUMNS).anyMatch(count -> count != 0)) {
        append(text, REMOTE, row, ROW_COLUMNS, COLUMNS);
      }
    }
    return text.append(END).append('\n').toString().getBytes(UTF_8);
  }

  private static void append(StringBuilder text, String kind, Row row, int from, int to) {
    text.append(kind).append(row.target());
    for (int i = from; i < to; i++) {
      text.append(' ').append(row.counts()[i]);
    }
    text.append(' ').append(DependencyList.escaped(row.source())).append('\n');
  }

  /**
   * Parses the text form.
   *
   * @throws DamagedEntryException if {@code bytes} are not a whole table
   */
  static UsageTable decode(byte[] bytes) throws DamagedEntryException {
    if (bytes.length > MAX_BYTES) {
      throw new DamagedEntryException("a table of usage of more than " + MAX_BYTES + " bytes");
    }
    String[] lines = new String(bytes, UTF_8).split("\n", -1);
    int last = lines.length - 2;
    if (last < 2
        || !lines[0].equals(SCHEMA)
        || !lines[last].equals(END)
        || !lines[last + 1].isEmpty()) {
      throw new DamagedEntryException("not a whole table of usage");
    }
    try {
      UsageTable table = new UsageTable(Long.parseLong(after(SINCE, lines[1])));
      for (int i = 2; i < last; i++) {
        if (lines[i].startsWith(ABSORBED)) {
          table.absorbed.add(after(ABSORBED, lines[i]));
        } else if (lines[i].startsWith(DAY)) {
          addDay(table, after(DAY, lines[i]).split(" ", -1));
        } else if (lines[i].startsWith(REMOTE)) {
          addRow(table, after(REMOTE, lines[i]), ROW_COLUMNS, COLUMNS);
        } else {
          addRow(table, after(ROW, lines[i]), 0, ROW_COLUMNS);
        }
      }
      return table;
    } catch (IllegalArgumentException e) {
      throw new DamagedEntryException("not a table of usage", e);
    }
  }

  private static void addRow(UsageTable table, String line, int from, int to) {
    int last = to - from + 1;
    String[] cells = line.split(" ", last + 1);
    if (cells.length != last + 1) {
      throw new IllegalArgumentException("a row of " + cells.length + " cells");
    }
    long[] counts = new long[COLUMNS];
    for (int i = from; i < to; i++) {
      counts[i] = count(cells[i - from + 1]);
    }
    table.add(cells[0], DependencyList.unescaped(cells[last]), counts);
  }

  private static void addDay(UsageTable table, String[] cells) {
    if (cells.length != 3) {
      throw new IllegalArgumentException("a day of " + cells.length + " cells");
    }
    long epochDay = count(cells[0]);
    if (epochDay > LAST_DAY) {
      throw new IllegalArgumentException("a day after the year 9999");
    }
    table.addDay(epochDay, new Day(count(cells[1]), count(cells[2])));
  }

  private static long count(String text) {
    long count = Long.parseLong(text);
    if (count < 0) {
      throw new IllegalArgumentException("a count below zero");
    }
    return count;
  }

  private static String after(String beginning, String line) {
    if (!line.startsWith(beginning)) {
      throw new IllegalArgumentException(line);
    }
    return line.substring(beginning.length());
  }
}
