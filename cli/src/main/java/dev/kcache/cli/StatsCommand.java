// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheMaintenance;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheUsage;
import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.CacheUsage.Kernel;
import dev.kcache.cache.ClearCriteria;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cli.PrometheusText.Sample;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** {@code kcache stats}: shows hits, misses, compiles and sizes. */
final class StatsCommand extends Verb {
  private static final List<String> COUNTS =
      List.of("hits", "misses", "compiles", "failed", "spent", "saved");

  private final Argument<Boolean> reset =
      arguments.flag("--reset", "Show the counts, then start again from zero.");

  private final Argument<Boolean> byKernel =
      arguments.flag("--kernels", "Show the counts of each kernel, too.");

  private final WideOption wide = new WideOption(arguments);

  private final Argument<Boolean> prometheus =
      arguments.flag("--prometheus", "Print the counts by target in Prometheus' text format.");

  StatsCommand(CliContext context) {
    super(
        context,
        "stats",
        "Shows the hit rate, compile times and sizes.",
        "The counts of all processes that use this user's cache directory, in total and by"
            + " target, and the size of its entries. A program adds its counts when it ends, and"
            + " every ten seconds while it uses the disk. On a terminal a line shows the requests"
            + " of each of the last 14 days (UTC). Spent is the time in the compiler, saved the"
            + " time that hits on the disk and in remotes would have spent there.");
  }

  /** What is shown; {@code diskBytes} is what {@code kcache clear} would free. */
  private record Totals(
      Optional<Path> directory,
      CacheUsage usage,
      int entries,
      List<Target> targets,
      long diskBytes,
      long probeCacheBytes,
      long toolchainBytes) {
    /** Returns the size of all code objects. */
    long bytes() {
      return targets.stream().mapToLong(Target::bytes).sum();
    }
  }

  /** What was counted of a target, and what its entries take. */
  private static final class Target {
    Counts counts = Counts.NONE;
    long entries;
    final Map<Digest, Long> sizes = new HashMap<>();
    final String name;

    Target(String name) {
      this.name = name;
    }

    long bytes() {
      return sizes.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() {
    if (json() && prometheus.value()) {
      throw new IllegalArgumentException("--json and --prometheus exclude each other; give one");
    }
    try (CacheManager cache = existingCache().build()) {
      CacheMaintenance maintenance = cache.maintenance();
      requireNone(maintenance.readFault());
      CacheUsage usage = maintenance.usage();
      List<CacheEntry> entries = maintenance.entries();
      Totals totals =
          new Totals(
              maintenance.directory(),
              usage,
              entries.size(),
              targets(usage, entries),
              maintenance
                  .clearing(ClearCriteria.EVERYTHING)
                  .map(each -> each.plan().bytes())
                  .orElse(0L),
              maintenance.probeCacheBytes(),
              maintenance.toolchainBytes());
      if (reset.value()) {
        // Before anything is printed: a failure is a document of its own.
        maintenance.resetUsage();
      }
      if (prometheus.value()) {
        export(totals, new PrometheusText(context.out()));
      } else {
        show(json -> write(totals, json), out -> print(totals, out));
      }
      if (namesDirectory()) {
        context.problem(
            absence(cache)
                .orElse(
                    "entries and their sizes are those of the directory that is named; the rest is"
                        + " always counted in your own"));
      }
    }
    return ExitCode.OK;
  }

  /** Returns each target that was asked for or has entries. */
  private static List<Target> targets(CacheUsage usage, List<CacheEntry> entries) {
    Map<String, Target> targets = new TreeMap<>();
    for (Kernel kernel : usage.kernels()) {
      Target target = targets.computeIfAbsent(name(kernel.target()), Target::new);
      target.counts = target.counts.plus(kernel.counts());
    }
    for (CacheEntry entry : entries) {
      Target target = targets.computeIfAbsent(entry.target().toString(), Target::new);
      target.entries++;
      target.sizes.put(entry.codeObject(), entry.size());
    }
    return List.copyOf(targets.values());
  }

  /** Returns what a target is called; {@code others} is for what has no row of its own. */
  private static String name(Optional<TargetId> target) {
    return target.map(TargetId::toString).orElse("others");
  }

  private static void write(Totals totals, Json json) {
    CacheUsage usage = totals.usage();
    json.put("directory", totals.directory())
        .put("since", usage.since())
        .object(
            "total",
            total ->
                write(usage.total(), total)
                    .put("entries", totals.entries())
                    .put("size", totals.bytes())
                    .put("diskSize", totals.diskBytes())
                    .put("memoSize", totals.probeCacheBytes())
                    .put("toolchainsSize", totals.toolchainBytes()))
        .objects(
            "days",
            usage.days(),
            (day, row) ->
                row.put("day", day.date()).put("hits", day.hits()).put("misses", day.misses()))
        .objects(
            "targets",
            totals.targets(),
            (target, row) ->
                write(target.counts, row.put("target", target.name))
                    .put("entries", target.entries)
                    .put("size", target.bytes()))
        .objects(
            "kernels",
            usage.kernels(),
            (kernel, row) ->
                write(
                    kernel.counts(),
                    row.put("target", kernel.target()).put("source", kernel.source())));
  }

  private static Json write(Counts counts, Json json) {
    return json.put("memoryHits", counts.memoryHits())
        .put("diskHits", counts.diskHits())
        .put("misses", counts.misses())
        .put("compiles", counts.compiles())
        .put("failedCompiles", counts.failedCompiles())
        .put("notKept", counts.notKept())
        .put("compileSeconds", counts.compileTime())
        .put("savedSeconds", counts.savedTime())
        .put("remoteHits", counts.remoteHits())
        .put("uploads", counts.uploads())
        .put("droppedUploads", counts.droppedUploads());
  }

  private static void export(Totals totals, PrometheusText text) {
    List<Target> targets = totals.targets();
    text.counter(
        "requests",
        "Requests, by what answered them.",
        targets,
        each ->
            List.of(
                sample(each, "result", "memory_hit", each.counts.memoryHits()),
                sample(each, "result", "disk_hit", each.counts.diskHits()),
                sample(each, "result", "remote_hit", each.counts.remoteHits()),
                sample(each, "result", "miss", each.counts.misses())));
    text.counter(
        "compiles",
        "Compiles, by how they ended.",
        targets,
        each ->
            List.of(
                sample(each, "result", "compiled", each.counts.compiles()),
                sample(each, "result", "failed", each.counts.failedCompiles())));
    text.counter(
        "uploads",
        "Compiled results for the remotes, by what became of them.",
        targets,
        each ->
            List.of(
                sample(each, "result", "uploaded", each.counts.uploads()),
                sample(each, "result", "dropped", each.counts.droppedUploads())));
    text.counter(
        "not_kept",
        "Compiled results that could not be written to the disk.",
        targets,
        each -> List.of(sample(each, each.counts.notKept())));
    text.counter(
        "compile_seconds",
        "Time spent in the compiler.",
        targets,
        each -> List.of(sample(each, seconds(each.counts.compileTime()))));
    text.counter(
        "saved_seconds",
        "Time that hits on the disk and in remotes would have spent in the compiler.",
        targets,
        each -> List.of(sample(each, seconds(each.counts.savedTime()))));
    text.gauge(
        "entries",
        "Entries in the cache directory.",
        targets,
        each -> List.of(sample(each, each.entries)));
    text.gauge(
        "code_object_bytes",
        "Size of the code objects in the cache directory.",
        targets,
        each -> List.of(sample(each, each.bytes())));
    text.gauge(
        "disk_bytes",
        "Disk usage that 'kcache clear' would free.",
        List.of(totals),
        each -> List.of(new Sample(Map.of(), each.diskBytes())));
  }

  private static Sample sample(Target target, Number value) {
    return new Sample(Map.of("target", target.name), value);
  }

  private static Sample sample(Target target, String label, String of, Number value) {
    return new Sample(Map.of("target", target.name, label, of), value);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private void print(Totals totals, PrintStream out) {
    CacheUsage usage = totals.usage();
    Counts total = usage.total();
    String since =
        usage
            .since()
            .map(time -> time.truncatedTo(ChronoUnit.SECONDS).toString())
            .orElse("nothing has been counted");
    String remotely = total.remoteHits() == 0 ? "" : ", " + total.remoteHits() + " in remotes";
    String hits =
        "%d (%d in memory, %d on disk%s)"
            .formatted(total.hits(), total.memoryHits(), total.diskHits(), remotely);
    List<List<String>> sums = new ArrayList<>();
    sums.add(List.of("hit rate", rate(total)));
    sums.add(List.of("since", since));
    if (context.console().outColumns() > 0) {
      Sparkline.of(usage.days(), context.clock().instant())
          .ifPresent(line -> sums.add(List.of("last " + Sparkline.DAYS + " days", line)));
    }
    sums.add(List.of("hits", hits));
    sums.add(List.of("misses", Long.toString(total.misses())));
    sums.add(List.of("compiles", total.compiles() + ", " + total.failedCompiles() + " failed"));
    sums.add(List.of("not kept", Long.toString(total.notKept())));
    if (total.uploads() + total.droppedUploads() > 0) {
      sums.add(List.of("uploads", total.uploads() + ", " + total.droppedUploads() + " dropped"));
    }
    sums.add(List.of("spent", Text.duration(total.compileTime())));
    sums.add(List.of("saved", Text.duration(total.savedTime())));
    sums.add(List.of("entries", totals.entries() + ", " + Text.bytes(totals.bytes())));
    sums.add(List.of("on disk", Text.bytes(totals.diskBytes())));
    sums.add(List.of("probes", Text.bytes(totals.probeCacheBytes())));
    sums.add(List.of("compiler", Text.bytes(totals.toolchainBytes())));
    Text.table(sums).forEach(out::println);
    List<List<String>> rows = new ArrayList<>();
    for (Target target : totals.targets()) {
      rows.add(
          row(
              target.name,
              target.counts,
              Long.toString(target.entries),
              Text.bytes(target.bytes())));
    }
    print(heading("entries", "size"), rows, 0, out);
    if (byKernel.value()) {
      print(
          heading("kernel"),
          usage.kernels().stream()
              .map(each -> row(name(each.target()), each.counts(), name(each)))
              .toList(),
          COUNTS.size() + 1,
          out);
    }
  }

  private static String rate(Counts counts) {
    long requests = counts.hits() + counts.misses();
    return requests == 0
        ? "no requests"
        : Text.percent(counts.hits(), requests) + " of " + Text.count(requests, "request");
  }

  private static String name(Kernel kernel) {
    return kernel.source().isEmpty()
        ? "(all kernels without a line of their own)"
        : Text.oneLine(kernel.source());
  }

  private void print(
      List<String> heading, List<List<String>> rows, int shortened, PrintStream out) {
    if (!rows.isEmpty()) {
      out.println();
      Text.fit(Text.titled(heading, rows), shortened, wide.columns(context.console()))
          .forEach(out::println);
    }
  }

  private static List<String> heading(String... last) {
    return row("target", COUNTS, last);
  }

  private static List<String> row(String target, Counts counts, String... last) {
    return row(
        target,
        List.of(
            Long.toString(counts.hits()),
            Long.toString(counts.misses()),
            Long.toString(counts.compiles()),
            Long.toString(counts.failedCompiles()),
            Text.duration(counts.compileTime()),
            Text.duration(counts.savedTime())),
        last);
  }

  private static List<String> row(String first, List<String> middle, String... last) {
    return Stream.of(Stream.of(first), middle.stream(), Stream.of(last))
        .flatMap(cells -> cells)
        .toList();
  }
}
