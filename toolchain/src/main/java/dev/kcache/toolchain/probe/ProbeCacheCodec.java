// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.codeobject.Digest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The format of the probe cache's files: a line with kind and version, a line for each row of
 * cells, and a line with a dot. Each cell ends in a tab. A backslash and four hexadecimal digits
 * stand for a character that is not printable ASCII. Anything else decodes to nothing.
 *
 * <p>Not JSON: only kcache reads these files, and loading a JSON library takes longer than reading
 * the hundreds of lines that each process needs at its start.
 */
public final class ProbeCacheCodec {
  private static final String DIGESTS = "kcache.files/2";
  private static final String ANSWER = "kcache.answer/2";
  private static final String NAMES = "kcache.names/1";
  private static final String END = ".";

  /** Stands in the place of watched files. */
  private static final List<String> FOR_EVER = List.of("for ever");

  private ProbeCacheCodec() {}

  public static byte[] encodeDigests(Map<String, FileDigests.Known> digests) {
    List<List<String>> rows = new ArrayList<>();
    new TreeMap<>(digests)
        .forEach(
            (path, known) -> rows.add(List.of(path, known.stamp(), known.digest().toString())));
    return encode(DIGESTS, rows);
  }

  public static Optional<Map<String, FileDigests.Known>> decodeDigests(byte[] text) {
    List<List<String>> rows = decode(DIGESTS, text);
    Map<String, FileDigests.Known> digests = new HashMap<>();
    try {
      for (List<String> row : rows) {
        digests.put(row.get(0), new FileDigests.Known(row.get(1), Digest.parse(row.get(2))));
      }
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      return Optional.empty();
    }
    return digests.isEmpty() ? Optional.empty() : Optional.of(digests);
  }

  public static byte[] encodeNames(Collection<String> names) {
    return encode(NAMES, names.stream().map(List::of).toList());
  }

  /** Returns the names in the order in which they were written. */
  public static Optional<List<String>> decodeNames(byte[] text) {
    List<String> names = new ArrayList<>();
    for (List<String> row : decode(NAMES, text)) {
      if (row.size() != 1) {
        return Optional.empty();
      }
      names.add(row.get(0));
    }
    return names.isEmpty() ? Optional.empty() : Optional.of(names);
  }

  /**
   * Writes the watched files as rows of two, an empty row, then the lines. A row of one word says
   * that there are none.
   */
  public static byte[] encodeAnswer(ProbeResult answer) {
    List<List<String>> rows = new ArrayList<>();
    if (answer.watched().isEmpty()) {
      rows.add(FOR_EVER);
    }
    new TreeMap<>(answer.watched()).forEach((path, stamp) -> rows.add(List.of(path, stamp)));
    rows.add(List.of());
    rows.addAll(answer.lines());
    return encode(ANSWER, rows);
  }

  public static Optional<ProbeResult> decodeAnswer(byte[] text) {
    List<List<String>> rows = decode(ANSWER, text);
    int end = rows.indexOf(List.of());
    // An answer that has lost its files would hold for ever.
    if (end < 1) {
      return Optional.empty();
    }
    Map<String, String> watched = new HashMap<>();
    boolean forEver = end == 1 && rows.get(0).equals(FOR_EVER);
    for (List<String> row : rows.subList(forEver ? 1 : 0, end)) {
      if (row.size() != 2) {
        return Optional.empty();
      }
      watched.put(row.get(0), row.get(1));
    }
    return Optional.of(new ProbeResult(rows.subList(end + 1, rows.size()), watched, true));
  }

  private static byte[] encode(String kind, List<List<String>> rows) {
    StringBuilder text = new StringBuilder(kind).append('\n');
    for (List<String> row : rows) {
      for (String cell : row) {
        escape(cell, text);
        text.append('\t');
      }
      text.append('\n');
    }
    return text.append(END).toString().getBytes(US_ASCII);
  }

  private static void escape(String cell, StringBuilder text) {
    for (int i = 0; i < cell.length(); i++) {
      char c = cell.charAt(i);
      if (c >= ' ' && c < 0x7f && c != '\\') {
        text.append(c);
      } else {
        text.append('\\').append(Integer.toHexString(0x10000 + c), 1, 5);
      }
    }
  }

  /** Returns the rows; none unless the file is complete and of that kind. */
  private static List<List<String>> decode(String kind, byte[] bytes) {
    String text = new String(bytes, ISO_8859_1);
    if (!text.startsWith(kind + '\n') || !text.endsWith('\n' + END)) {
      return List.of();
    }
    List<List<String>> rows = new ArrayList<>();
    boolean escapes = text.indexOf('\\') >= 0;
    int start = kind.length() + 1;
    int last = text.length() - END.length();
    try {
      while (start < last) {
        int end = text.indexOf('\n', start);
        rows.add(row(text, start, end, escapes));
        start = end + 1;
      }
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      return List.of();
    }
    return rows;
  }

  private static List<String> row(String text, int start, int end, boolean escapes) {
    List<String> row = new ArrayList<>();
    int from = start;
    while (from < end) {
      int tabulator = text.indexOf('\t', from);
      if (tabulator > end) {
        throw new IndexOutOfBoundsException(tabulator);
      }
      String cell = text.substring(from, tabulator);
      row.add(escapes ? unescape(cell) : cell);
      from = tabulator + 1;
    }
    return row;
  }

  private static String unescape(String cell) {
    StringBuilder plain = new StringBuilder();
    int from = 0;
    for (int at = cell.indexOf('\\'); at >= 0; at = cell.indexOf('\\', from)) {
      plain.append(cell, from, at);
      plain.append((char) Integer.parseInt(cell, at + 1, at + 5, 16));
      from = at + 5;
    }
    return plain.append(cell, from, cell.length()).toString();
  }
}
