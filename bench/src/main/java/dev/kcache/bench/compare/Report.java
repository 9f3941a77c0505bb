// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Comparison;
import dev.kcache.bench.Row;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The results and the machine.
 *
 * @param facts facts about the machine, by name
 * @param lines in order
 */
record Report(Map<String, String> facts, List<Line> lines) {
  /** Returns whether every measured bar is met. */
  boolean isGood() {
    return unmet().isEmpty();
  }

  /** Returns the lines whose bar is missed, or that failed. */
  List<Line> unmet() {
    return lines.stream()
        .filter(
            line -> line.verdict() == Line.Verdict.MISSED || line.verdict() == Line.Verdict.FAILED)
        .toList();
  }

  /** Prints the report for people as Markdown tables: medians with minimum and maximum. */
  void print(PrintStream out) {
    facts.forEach((name, value) -> out.println(name + ": " + value));
    for (Group group : Group.values()) {
      List<Line> ours = lines.stream().filter(line -> line.group() == group).toList();
      if (!ours.isEmpty()) {
        out.println();
        out.println(cells(group.title(), "kcache", "beside", "", "ratio", "bar", ""));
        out.println("|---|---|---|---|---|---|---|");
        ours.forEach(line -> out.println(text(line)));
      }
    }
    if (!isGood()) {
      out.println();
      unmet().forEach(line -> out.println(line.verdict().text() + ": " + line.title()));
    }
  }

  private static String text(Line line) {
    if (line.row().isEmpty()) {
      return cells(
          line.what(), "", line.other(), "", "", "", line.verdict().text() + ": " + line.note());
    }
    Row row = line.row().get();
    Comparison comparison = row.comparison();
    return cells(
        row.what(),
        spread(row.unit(), comparison.kcache()),
        line.other(),
        comparison.other().map(samples -> spread(row.unit(), samples)).orElse(""),
        line.ratio(),
        bar(row),
        line.verdict().text());
  }

  private static String bar(Row row) {
    return row.bar().sense() == Bar.Sense.NONE ? "none" : row.bar().describe(row.unit());
  }

  private static String spread(Unit unit, Samples samples) {
    return "%s (%s to %s)"
        .formatted(
            unit.format(samples.median()),
            unit.digits(samples.least()),
            unit.digits(samples.greatest()));
  }

  private static String cells(Object... cells) {
    return String.format(
        Locale.ROOT, "| %-62s | %-28s | %-26s | %-28s | %6s | %-17s | %-8s |", cells);
  }
}
