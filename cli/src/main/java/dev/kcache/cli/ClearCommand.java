// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.ClearCriteria;
import dev.kcache.cache.Clearing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code kcache clear}: removes entries from the cache directory. */
final class ClearCommand implements Verb {
  private final CliContext context;

  private final Argument<List<TargetGroup>> targets =
      Argument.options(
          "--arch",
          "TARGET",
          new Converters.Targets(),
          "Only the entries for these targets. Repeatable.");

  private final Argument<Duration> olderThan =
      Argument.option(
          "--older-than",
          "AGE",
          new Converters.Age(),
          "Only the entries that nobody has used for this long,",
          "such as 12h or 30d.");

  private final Argument<String> toolchain =
      Argument.option(
          "--toolchain",
          "stale",
          new Converters.Staleness(),
          "Only the entries that the compiler here would not",
          "serve any more: it has another version, is another",
          "one of the same version, or its headers have changed.");

  private final Argument<Boolean> yes = Argument.flag("--yes", "Do not ask on a terminal.");

  private final Argument<Boolean> dryRun =
      Argument.flag("--dry-run", "Only tell what would be removed.");

  private final CommonOptions options = new CommonOptions();

  /** Creates the command for the given surroundings. */
  ClearCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public CommandSpec spec() {
    return Verb.spec(
        "clear",
        this,
        Stream.of(List.of(targets, olderThan, toolchain, yes, dryRun), options.arguments()),
        "Removes entries from the cache.",
        "Removes the entries of the cache directory that meet all that is asked for, or",
        "everything; layers are left as they are. Asks first on a terminal. Running",
        "programs are not harmed: what they have they keep, and what they miss they",
        "compile again.");
  }

  @Override
  public Integer call() {
    try (CacheManager cache = options.cache(context).build()) {
      Optional<Path> directory = cache.directory();
      Optional<Clearing> found = cache.upkeep().clearing(criteria());
      if (directory.isEmpty() || found.isEmpty()) {
        context.problem(
            directory
                .map(root -> "nothing to remove: '" + root + "' does not exist")
                .orElse("nothing to remove: there is no cache directory"));
        report(directory, 0, 0, false, null);
        return ExitCode.OK;
      }
      return clear(directory.get(), found.get());
    }
  }

  private int clear(Path directory, Clearing clearing) {
    if (dryRun.value() || !isWanted(directory, clearing)) {
      report(Optional.of(directory), clearing.entries(), clearing.bytes(), false, null);
      return ExitCode.OK;
    }
    Optional<String> failure = clearing.run();
    report(
        Optional.of(directory), clearing.entries(), clearing.bytes(), true, failure.orElse(null));
    failure.ifPresent(context::problem);
    return failure.isPresent() ? ExitCode.UNAVAILABLE : ExitCode.OK;
  }

  private ClearCriteria criteria() {
    return new ClearCriteria(
        targets.value().stream()
            .flatMap(group -> group.targets().stream())
            .collect(Collectors.toUnmodifiableSet()),
        Optional.ofNullable(olderThan.valueOrNull()),
        toolchain.isGiven());
  }

  private boolean isWanted(Path directory, Clearing clearing) {
    return yes.value()
        || context.columns() == 0
        || (clearing.entries() == 0 && clearing.bytes() == 0)
        || context.confirms(
            "remove "
                + amount(clearing.entries(), clearing.bytes())
                + " from '"
                + directory
                + "'?");
  }

  private void report(
      Optional<Path> directory,
      long entries,
      long bytes,
      boolean removed,
      @Nullable String problem) {
    if (options.json()) {
      new JsonReport(context.out())
          .clear(directory, dryRun.value(), removed, entries, bytes, problem);
    } else if (directory.isPresent()) {
      String verb = removed ? "removed " : dryRun.value() ? "would remove " : "did not remove ";
      context.out().println(verb + amount(entries, bytes) + " from '" + directory.get() + "'");
    }
  }

  private static String amount(long entries, long bytes) {
    return Text.entries(entries) + " (" + Text.bytes(bytes) + ")";
  }
}
