// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.CacheUsage.Kernel;
import java.io.PrintStream;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Prints statistics for people. */
final class StatsReport {
  private static final List<String> COUNTS =
      List.of("hits", "misses", "compiles", "failed", "spent", "saved");

  private final PrintStream out;

  StatsReport(PrintStream out) {
    this.out = out;
  }

  /** Prints a few lines of sums, then a table by target and one by kernel. */
  void print(Stats stats) {
    Counts total = stats.usage().total();
    Text.table(
            List.of(
                List.of("since", since(stats)),
                List.of("hits", hits(total)),
                List.of("misses", Long.toString(total.misses())),
                List.of("compiles", total.compiles() + ", " + total.failedCompiles() + " failed"),
                List.of("not kept", Long.toString(total.notKept())),
                List.of("spent", Text.duration(total.compileTime())),
                List.of("saved", Text.duration(total.savedTime())),
                List.of("entries", stats.entries().size() + ", " + Text.bytes(stats.bytes())),
                List.of("on disk", Text.bytes(stats.diskBytes())),
                List.of("memo", Text.bytes(stats.memoBytes())),
                List.of("compiler", Text.bytes(stats.toolchainBytes()))))
        .forEach(out::println);
    printTargets(stats);
    printKernels(stats);
  }

  private void printTargets(Stats stats) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row(List.of("target"), COUNTS, List.of("entries", "size")));
    for (Stats.Target target : stats.targets()) {
      rows.add(
          row(
              List.of(target.name()),
              cells(target.counts()),
              List.of(Long.toString(target.entries()), Text.bytes(target.bytes()))));
    }
    printTable(rows);
  }

  private void printKernels(Stats stats) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row(List.of("target"), COUNTS, List.of("kernel")));
    for (Kernel kernel : stats.usage().kernels()) {
      rows.add(
          row(List.of(Stats.name(kernel.target())), cells(kernel.counts()), List.of(name(kernel))));
    }
    printTable(rows);
  }

  private static String name(Kernel kernel) {
    return kernel.source().isEmpty()
        ? "(all kernels without a line of their own)"
        : Text.oneLine(kernel.source());
  }

  private void printTable(List<List<String>> rows) {
    if (rows.size() > 1) {
      out.println();
      Text.table(rows).forEach(out::println);
    }
  }

  private static String since(Stats stats) {
    return stats
        .usage()
        .since()
        .map(since -> since.truncatedTo(ChronoUnit.SECONDS).toString())
        .orElse("nothing has been counted");
  }

  private static String hits(Counts counts) {
    return counts.memoryHits()
        + counts.diskHits()
        + " ("
        + counts.memoryHits()
        + " in memory, "
        + counts.diskHits()
        + " on disk)";
  }

  private static List<String> cells(Counts counts) {
    return List.of(
        Long.toString(counts.memoryHits() + counts.diskHits()),
        Long.toString(counts.misses()),
        Long.toString(counts.compiles()),
        Long.toString(counts.failedCompiles()),
        Text.duration(counts.compileTime()),
        Text.duration(counts.savedTime()));
  }

  private static List<String> row(List<String> first, List<String> middle, List<String> last) {
    List<String> row = new ArrayList<>(first);
    row.addAll(middle);
    row.addAll(last);
    return row;
  }
}
