// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** {@code kcache list}: tells what the cache holds. */
final class ListCommand extends Verb {
  private static final int SHORT_DIGEST = 12;

  private final TargetsOption targets = TargetsOption.ofEntries();

  ListCommand(CliContext context) {
    super(context);
  }

  @Override
  CommandSpec spec() {
    return spec(
        "list",
        List.of(targets.argument()),
        "Lists what the cache holds.",
        "One line per entry: target, label, source, size, compile time, when it was made, the"
            + " first",
        "digits of the code object's SHA-256, and where layers are used, the directory that holds"
            + " it.");
  }

  @Override
  public Integer call() {
    try (CacheManager cache = options.cache(context).build()) {
      List<Path> layers = cache.maintenance().layers();
      Optional<String> fault = cache.maintenance().readFault();
      if (layers.isEmpty()) {
        CommonOptions.requireNone(fault);
      }
      List<Path> directories =
          Stream.concat(cache.maintenance().directory().stream(), layers.stream()).toList();
      List<LocatedEntry> entries = LocatedEntry.of(cache).filter(this::isWanted).toList();
      if (options.json()) {
        Json.print(
            context.out(),
            "list",
            json ->
                json.put("directory", cache.maintenance().directory())
                    .put("layers", layers)
                    .objects("entries", entries, LocatedEntry::writeTo));
      } else {
        print(Text.table(entries.stream().map(each -> cells(each, !layers.isEmpty())).toList()));
      }
      if (fault.isPresent()) {
        context.problem(fault.get());
        return ExitCode.UNAVAILABLE;
      }
      if (entries.isEmpty()) {
        context.problem(nothingIn(directories));
      }
    }
    return ExitCode.OK;
  }

  /** All at once: line by line, each would be a write of its own. */
  private void print(List<String> lines) {
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      text.append(line).append(System.lineSeparator());
    }
    context.out().print(text);
    context.out().flush();
  }

  private boolean isWanted(LocatedEntry located) {
    Set<TargetId> wanted = targets.targets();
    return wanted.isEmpty() || wanted.contains(located.entry().target());
  }

  private static String nothingIn(List<Path> directories) {
    return directories.isEmpty()
        ? "no entries: there is no cache directory"
        : directories.stream()
            .map(directory -> "'" + directory + "'")
            .collect(Collectors.joining(", ", "no entries in ", ""));
  }

  private static List<String> cells(LocatedEntry located, boolean withDirectory) {
    CacheEntry entry = located.entry();
    List<String> cells =
        new ArrayList<>(
            List.of(
                entry.target().toString(),
                entry.label().toString(),
                Text.oneLine(entry.source()),
                Text.bytes(entry.size()),
                Text.duration(entry.compileTime()),
                entry.created().truncatedTo(ChronoUnit.SECONDS).toString(),
                entry.codeObject().toString().substring(0, SHORT_DIGEST)));
    if (withDirectory) {
      cells.add(Text.oneLine(located.directory().toString()));
    }
    return cells;
  }
}
