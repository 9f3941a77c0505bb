// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheMaintenance;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** {@code kcache list}: lists the entries of the cache. */
final class ListCommand extends Verb {
  private static final List<String> HEADING =
      List.of("target", "label", "source", "size", "compile", "made (UTC)", "code", "directory");

  private static final int MINUTES = "2026-11-27T02:20".length();

  private static final int SOURCE = HEADING.indexOf("source");

  private final TargetsOption targets = new TargetsOption(arguments, TargetsOption.OF_ENTRIES);

  private final WideOption wide = new WideOption(arguments);

  private final CatalogOption catalog =
      new CatalogOption(
          arguments,
          "Instead of entries, the kernels that ship with kcache, or some families of them, and what"
              + " registers and memory those take that the cache has.");

  ListCommand(CliContext context) {
    super(
        context,
        "list",
        "Lists what the cache holds.",
        "One line per entry: target, label, source, size, compile time, when it was made, the first"
            + " digits of the code object's SHA-256, and where layers are used, the directory that"
            + " holds it. On a terminal the columns have names, and a long source loses its"
            + " beginning.");
  }

  @Override
  public Integer call() {
    try (CacheManager cache = existingCache().build()) {
      if (catalog.isGiven()) {
        listCatalog(cache);
        return ExitCode.OK;
      }
      CacheMaintenance maintenance = cache.maintenance();
      List<Path> layers = maintenance.layers();
      Optional<String> fault = maintenance.readFault();
      if (layers.isEmpty()) {
        requireNone(fault);
      }
      // One that cannot be read is told below, once.
      List<LocatedEntry> entries =
          LocatedEntry.of(cache, fault.isPresent() ? layers : LocatedEntry.directories(cache))
              .filter(this::isWanted)
              .toList();
      show(
          json ->
              json.put("directory", maintenance.directory())
                  .put("layers", layers)
                  .objects("entries", entries, LocatedEntry::writeTo),
          // All at once: line by line, each would be a write of its own.
          out -> out.print(text(entries, !layers.isEmpty())));
      context.out().flush();
      if (fault.isPresent()) {
        context.problem(fault.get());
        return ExitCode.UNAVAILABLE;
      }
      if (entries.isEmpty()) {
        context.problem(nothingIn(LocatedEntry.directories(cache), targets.targets()));
      }
    }
    return ExitCode.OK;
  }

  private void listCatalog(CacheManager cache) {
    cache.readOnly();
    CatalogListing listing = CatalogListing.of(catalog.units(), cache, targets.targets());
    show(
        listing::writeTo,
        out -> listing.lines(wide.columns(context.console())).forEach(out::println));
  }

  private boolean isWanted(LocatedEntry located) {
    Set<TargetId> wanted = targets.targets();
    return wanted.isEmpty() || wanted.contains(located.entry().target());
  }

  /** Returns that these directories hold no entry for the targets, or none at all. */
  static String nothingIn(List<Path> directories, Set<TargetId> wanted) {
    String targets = wanted.stream().map(TargetId::toString).collect(Collectors.joining(", "));
    return "no entries" + (targets.isEmpty() ? "" : " for " + targets) + Text.places(directories);
  }

  private String text(List<LocatedEntry> entries, boolean withDirectory) {
    List<List<String>> rows = new ArrayList<>();
    int columns = wide.columns(context.console());
    if (context.console().outColumns() > 0 && !entries.isEmpty()) {
      rows.add(withDirectory ? HEADING : HEADING.subList(0, HEADING.size() - 1));
    }
    entries.forEach(each -> rows.add(cells(each, withDirectory)));
    return Text.fit(rows, SOURCE, columns).stream()
        .map(line -> line + System.lineSeparator())
        .collect(Collectors.joining());
  }

  private List<String> cells(LocatedEntry located, boolean withDirectory) {
    CacheEntry entry = located.entry();
    List<String> cells =
        new ArrayList<>(
            List.of(
                entry.target().toString(),
                entry.label().toString(),
                Text.oneLine(entry.source()),
                Text.bytes(entry.size()),
                Text.duration(entry.compileTime()),
                made(entry.created()),
                wide.value() ? entry.codeObject().toString() : Text.digits(entry.codeObject())));
    if (withDirectory) {
      cells.add(Text.oneLine(located.directory().toString()));
    }
    return cells;
  }

  /** Without seconds where people read it and the column says that it is UTC. */
  private String made(Instant created) {
    String time = created.truncatedTo(ChronoUnit.SECONDS).toString();
    return context.console().outColumns() == 0
        ? time
        : time.substring(0, MINUTES).replace('T', ' ');
  }
}
