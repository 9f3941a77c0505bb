// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheMaintenance;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CacheUsage;
import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.CacheUsage.Kernel;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cli.Report.Row;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** {@code kcache report}: shows the kernels of a cache as a page for a browser. */
final class ReportCommand extends Verb {
  private static final String STANDARD_OUTPUT = "-";
  private static final String BEGINNING = "<!DOCTYPE html>";

  private final Argument<String> html =
      arguments.option(
          "--html",
          "FILE",
          Converters::text,
          "Write the page to this file, replacing an older page; '-' is standard output.");

  private final TargetsOption targets = new TargetsOption(arguments, TargetsOption.OF_ENTRIES);

  private final Argument<List<Path>> layers =
      arguments.options(
          "--layer",
          "DIR",
          Converters::path,
          "Look into this directory, after that of --cache-dir, and in no other. Repeatable.");

  ReportCommand(CliContext context) {
    super(
        context,
        "report",
        "Writes a page that shows the kernels of the cache.",
        "One HTML page that needs no other file: each kernel for each target with its size,"
            + " registers, spills, memory, compile time and hits. In a browser it can be sorted and"
            + " filtered. Needs neither a compiler nor a GPU, and changes nothing in the cache.");
  }

  /** What the usage of a source for a target is found by. */
  private record Asked(Optional<TargetId> target, String source) {}

  @Override
  public Integer call() {
    if (!html.isGiven() && !json()) {
      throw new IllegalArgumentException(
          "report needs a file for the page; give --html FILE, or --html - for standard output");
    }
    if (json() && STANDARD_OUTPUT.equals(html.valueOrNull())) {
      throw new IllegalArgumentException(
          "--json and --html - both print on standard output; name a file for the page");
    }
    requirePage();
    requireUsable(layers.value());
    try (CacheManager cache = reader().build()) {
      CacheMaintenance maintenance = cache.maintenance();
      Optional<Path> own = maintenance.directory().filter(this::isWanted);
      if (own.isPresent()) {
        requireNone(maintenance.readFault());
      }
      Report report = read(maintenance, Stream.concat(own.stream(), layers(maintenance)).toList());
      write(report);
    }
    return ExitCode.OK;
  }

  private CacheManagerBuilder reader() {
    CacheManagerBuilder builder = existingCache().toolchain(new NoCompiler());
    return layers.value().isEmpty() ? builder : builder.layers(layers.value());
  }

  private static Stream<Path> layers(CacheMaintenance maintenance) {
    return maintenance.layers().stream();
  }

  /** Ends the command if a layer that is named cannot be used: then the page would be wrong. */
  private void requireUsable(List<Path> named) {
    if (named.contains(Path.of(""))) {
      throw new IllegalArgumentException("--layer is empty; name a directory");
    }
    if (named.isEmpty()) {
      return;
    }
    try (CacheManager cache =
        context
            .cache()
            .environment(Map.of())
            .layers(named)
            .toolchain(new NoCompiler())
            .memoryLimit(0)
            .build()) {
      List<String> faults =
          cache.maintenance().health().layers().stream()
              .flatMap(layer -> layer.fault().stream())
              .map(Text::oneLine)
              .toList();
      if (!faults.isEmpty()) {
        throw new CommandException(ExitCode.UNAVAILABLE, faults);
      }
    }
  }

  /** Returns whether the cache directory is looked into, and not only layers that are named. */
  private boolean isWanted(Path directory) {
    return layers.value().isEmpty()
        || namesDirectory()
        || layers.value().stream().anyMatch(layer -> isSame(layer, directory));
  }

  private static boolean isSame(Path one, Path other) {
    try {
      return Files.isSameFile(one, other);
    } catch (IOException e) {
      return false;
    }
  }

  private boolean isWanted(TargetId target) {
    Set<TargetId> wanted = targets.targets();
    return wanted.isEmpty() || wanted.contains(target);
  }

  private Report read(CacheMaintenance maintenance, List<Path> directories) {
    CacheUsage usage = maintenance.usage();
    Map<Asked, Counts> counts = new HashMap<>();
    for (Kernel kernel : usage.kernels()) {
      if (targets.targets().isEmpty() || kernel.target().filter(this::isWanted).isPresent()) {
        counts.merge(new Asked(kernel.target(), kernel.source()), kernel.counts(), Counts::plus);
      }
    }
    List<LocatedEntry> entries = new ArrayList<>();
    List<Row> rows = new ArrayList<>();
    long leftOut = 0;
    for (Path directory : directories) {
      leftOut += maintenance.unusableRecords(directory);
      for (CacheEntry entry : maintenance.entries(directory)) {
        if (!isWanted(entry.target())) {
          continue;
        }
        Optional<CodeObject> code = maintenance.codeObject(entry);
        if (code.isEmpty()) {
          leftOut++;
          continue;
        }
        LocatedEntry located = new LocatedEntry(directory, entry);
        entries.add(located);
        Asked asked = new Asked(Optional.of(entry.target()), entry.source());
        rows.addAll(Row.of(located, code.get(), counts.getOrDefault(asked, Counts.NONE).hits()));
      }
    }
    return new Report(
        new Version().getVersion()[0],
        Instant.now(),
        directories,
        usage.since(),
        counts.values().stream().reduce(Counts.NONE, Counts::plus),
        entries,
        rows,
        leftOut);
  }

  /**
   * Refuses, before the work, a page that cannot be written, and to replace what is no page, such
   * as a source or a code object of the cache.
   */
  private void requirePage() {
    if (!html.isGiven() || STANDARD_OUTPUT.equals(html.value())) {
      return;
    }
    Path file = Converters.path(html.value());
    ReplacedFile.folder(file);
    if (!Files.isRegularFile(file)) {
      return;
    }
    try (InputStream in = Files.newInputStream(file)) {
      String beginning = new String(in.readNBytes(BEGINNING.length()), UTF_8);
      if (!beginning.isEmpty() && !beginning.equalsIgnoreCase(BEGINNING)) {
        throw new IllegalArgumentException(
            "'%s' is there and is not an HTML page; name another file, or remove it"
                .formatted(Text.oneLine(file.toString())));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("'" + Text.oneLine(file.toString()) + "' cannot be read", e);
    }
  }

  private void write(Report report) {
    if (STANDARD_OUTPUT.equals(html.valueOrNull())) {
      context.out().print(ReportPage.of(report));
    } else {
      if (html.isGiven()) {
        ReplacedFile.write(Converters.path(html.value()), ReportPage.of(report));
      }
      show(
          report::writeTo,
          out ->
              out.println(
                  "%s: %s, %s, %s"
                      .formatted(
                          Text.oneLine(html.value()),
                          Text.entries(report.entries().size()),
                          Text.count(report.kernels(), "kernel"),
                          Text.count(report.targets().size(), "target"))));
    }
    context.out().flush();
    if (report.leftOut() > 0) {
      context.warning(
          Text.entries(report.leftOut())
              + " left out: damaged, or without a code object; 'kcache verify' names the files");
    }
    if (report.entries().isEmpty()) {
      context.problem(ListCommand.nothingIn(report.directories(), targets.targets()));
    }
  }
}
