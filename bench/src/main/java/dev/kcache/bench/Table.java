// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The results and the machine.
 *
 * @param facts facts about the machine, by name
 * @param rows the rows, in order
 */
record Table(Map<String, String> facts, List<Row> rows) {
  /** Prints the table for people. */
  void print(PrintStream out) {
    facts.forEach((name, value) -> out.println(name + ": " + value));
    out.println();
    List<String> lines = new ArrayList<>();
    lines.add(line("", "kcache", "C", "ratio", "bar", ""));
    rows.forEach(row -> lines.add(line(row)));
    lines.forEach(out::println);
  }

  private static String line(Row row) {
    Comparison comparison = row.comparison();
    return line(
        row.what(),
        row.unit().format(comparison.kcache().median()),
        comparison.other().map(c -> row.unit().format(c.median())).orElse(""),
        row.ratio().isPresent()
            ? String.format(Locale.ROOT, "%.3f", row.ratio().getAsDouble())
            : "",
        row.bar().toString(),
        row.isMet().map(met -> met ? "met" : "MISSED").orElse(""));
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%-42s %12s %12s %6s  %-13s %s", cells).stripTrailing();
  }
}
