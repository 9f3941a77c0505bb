// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheUsage;
import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.CacheUsage.Kernel;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The data of {@code kcache stats}.
 *
 * @param directory the cache directory
 * @param usage what has been counted
 * @param entries the entries in the cache directory
 * @param diskBytes what {@code kcache clear} would free
 * @param memoBytes the size of what the cache remembers about compilers
 * @param toolchainBytes the size of compilers that were unpacked
 */
record StatsReport(
    Optional<Path> directory,
    CacheUsage usage,
    List<CacheEntry> entries,
    long diskBytes,
    long memoBytes,
    long toolchainBytes)
    implements Report {
  private static final List<String> COUNTS =
      List.of("hits", "misses", "compiles", "failed", "spent", "saved");

  /**
   * What is known of a target.
   *
   * @param name the target ID, or what stands for the rest
   * @param counts what has been counted
   * @param entries how many entries there are
   * @param bytes the size of their code objects
   */
  private record Target(String name, Counts counts, long entries, long bytes) {}

  /** Returns how a target is called; {@code others} is for what has no row of its own. */
  private static String name(Optional<TargetId> target) {
    return target.map(TargetId::toString).orElse("others");
  }

  /** Returns each target that was asked for or has entries. */
  private List<Target> targets() {
    Map<String, Counts> counts = new HashMap<>();
    for (Kernel kernel : usage.kernels()) {
      counts.merge(name(kernel.target()), kernel.counts(), Counts::plus);
    }
    Map<String, Map<Digest, Long>> sizes = new HashMap<>();
    Map<String, Long> numbers = new HashMap<>();
    for (CacheEntry entry : entries) {
      String name = entry.target().toString();
      sizes.computeIfAbsent(name, unused -> new HashMap<>()).put(entry.codeObject(), entry.size());
      numbers.merge(name, 1L, Long::sum);
    }
    TreeSet<String> names = new TreeSet<>(counts.keySet());
    names.addAll(numbers.keySet());
    List<Target> targets = new ArrayList<>();
    for (String name : names) {
      targets.add(
          new Target(
              name,
              counts.getOrDefault(name, Counts.NONE),
              numbers.getOrDefault(name, 0L),
              sum(sizes.getOrDefault(name, Map.of()))));
    }
    return targets;
  }

  @Override
  public void writeTo(Json json) {
    json.put("directory", directory)
        .put("since", usage.since())
        .object(
            "total",
            total -> {
              write(usage.total(), total);
              total
                  .put("entries", entries.size())
                  .put("size", bytes())
                  .put("diskSize", diskBytes)
                  .put("memoSize", memoBytes)
                  .put("toolchainsSize", toolchainBytes);
            })
        .objects(
            "targets",
            targets(),
            (target, row) -> {
              write(target.counts(), row.put("target", target.name()));
              row.put("entries", target.entries()).put("size", target.bytes());
            })
        .objects(
            "kernels",
            usage.kernels(),
            (kernel, row) ->
                write(
                    kernel.counts(),
                    row.put("target", kernel.target()).put("source", kernel.source())));
  }

  private static void write(Counts counts, Json json) {
    json.put("memoryHits", counts.memoryHits())
        .put("diskHits", counts.diskHits())
        .put("misses", counts.misses())
        .put("compiles", counts.compiles())
        .put("failedCompiles", counts.failedCompiles())
        .put("notKept", counts.notKept())
        .put("compileSeconds", counts.compileTime())
        .put("savedSeconds", counts.savedTime());
  }

  /** Returns the size of all code objects. */
  private long bytes() {
    return targets().stream().mapToLong(Target::bytes).sum();
  }

  private static long sum(Map<Digest, Long> sizes) {
    return sizes.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public void print(PrintStream out) {
    Counts total = usage.total();
    Text.table(
            List.of(
                List.of("since", since()),
                List.of("hits", hits(total)),
                List.of("misses", Long.toString(total.misses())),
                List.of("compiles", total.compiles() + ", " + total.failedCompiles() + " failed"),
                List.of("not kept", Long.toString(total.notKept())),
                List.of("spent", Text.duration(total.compileTime())),
                List.of("saved", Text.duration(total.savedTime())),
                List.of("entries", entries.size() + ", " + Text.bytes(bytes())),
                List.of("on disk", Text.bytes(diskBytes)),
                List.of("memo", Text.bytes(memoBytes)),
                List.of("compiler", Text.bytes(toolchainBytes))))
        .forEach(out::println);
    printTargets(out);
    printKernels(out);
  }

  private void printTargets(PrintStream out) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row(List.of("target"), COUNTS, List.of("entries", "size")));
    for (Target target : targets()) {
      rows.add(
          row(
              List.of(target.name()),
              cells(target.counts()),
              List.of(Long.toString(target.entries()), Text.bytes(target.bytes()))));
    }
    printTable(rows, out);
  }

  private void printKernels(PrintStream out) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row(List.of("target"), COUNTS, List.of("kernel")));
    for (Kernel kernel : usage.kernels()) {
      rows.add(row(List.of(name(kernel.target())), cells(kernel.counts()), List.of(name(kernel))));
    }
    printTable(rows, out);
  }

  private static String name(Kernel kernel) {
    return kernel.source().isEmpty()
        ? "(all kernels without a line of their own)"
        : Text.oneLine(kernel.source());
  }

  private static void printTable(List<List<String>> rows, PrintStream out) {
    if (rows.size() > 1) {
      out.println();
      Text.table(rows).forEach(out::println);
    }
  }

  private String since() {
    return usage
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
