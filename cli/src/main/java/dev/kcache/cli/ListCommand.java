// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.TargetId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code kcache list}: tells what the cache holds. */
@Command(
    name = "list",
    description = {
      "Lists what the cache holds.",
      "One line per entry: target, label, source, size, compile time, when it was made, and the",
      "first digits of the code object's SHA-256."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false)
final class ListCommand implements Callable<Integer> {
  private static final int SHORT_DIGEST = 12;

  private final CliContext context;

  @Option(
      names = "--arch",
      paramLabel = "TARGET",
      split = ",",
      converter = Converters.Target.class,
      description = "Only the entries for these target IDs. Repeatable.")
  private List<TargetId> targets = List.of();

  @Mixin private final CommonOptions options = new CommonOptions();

  /** Creates the command for the given surroundings. */
  ListCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    try (CacheManager cache = options.cache(context).build()) {
      List<CacheEntry> entries =
          cache.entries().stream()
              .filter(entry -> targets.isEmpty() || targets.contains(entry.target()))
              .toList();
      if (options.json) {
        new JsonReport(context.out()).list(cache.directory(), entries);
      } else {
        Text.table(entries.stream().map(ListCommand::cells).toList())
            .forEach(context.out()::println);
      }
      if (entries.isEmpty()) {
        context.problem(
            cache
                .directory()
                .map(directory -> "no entries in '" + directory + "'")
                .orElse("no entries: there is no cache directory"));
      }
    }
    return ExitCode.OK;
  }

  private static List<String> cells(CacheEntry entry) {
    return List.of(
        entry.target().toString(),
        entry.label().toString(),
        Text.oneLine(entry.source()),
        Text.bytes(entry.size()),
        Text.duration(entry.compileTime()),
        entry.created().truncatedTo(ChronoUnit.SECONDS).toString(),
        entry.codeObject().toString().substring(0, SHORT_DIGEST));
  }
}
