// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.ClearCriteria;
import dev.kcache.cache.Clearing;
import dev.kcache.cache.directory.Removed;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** {@code kcache clear}: removes entries from the cache directory. */
final class ClearCommand extends Verb {
  private static final Removed NOTHING = new Removed(0, 0, Optional.empty());

  private final TargetsOption targets = new TargetsOption(arguments, TargetsOption.OF_ENTRIES);

  private final Argument<Duration> olderThan =
      arguments.option(
          "--older-than",
          "AGE",
          Converters::age,
          "Only the entries that nobody has used for this long, such as 12h or 30d.");

  private final Argument<String> toolchain =
      arguments.option(
          "--toolchain",
          "stale",
          text -> Converters.only("stale", text, "is not a toolchain; there is stale"),
          "Only the entries that are not of the compiler as it is here now: its version, its files"
              + " or its headers have changed.");

  private final Argument<Boolean> yes = arguments.flag("--yes", "Do not ask on a terminal.");

  private final Argument<Boolean> dryRun =
      arguments.flag("--dry-run", "Only tell what would be removed.");

  ClearCommand(CliContext context) {
    super(
        context,
        "clear",
        "Removes entries from the cache.",
        "Removes the entries of the cache directory that match every option, or all of them; layers"
            + " and an unpacked compiler stay as they are. Asks first on a terminal. Running"
            + " programs keep what they have and compile again what they miss.");
  }

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() {
    try (CacheManager cache = existingCache().build()) {
      Optional<Path> directory = cache.maintenance().directory();
      Optional<Clearing> found = cache.maintenance().clearing(criteria());
      if (directory.isEmpty() || found.isEmpty()) {
        absence(cache).ifPresent(reason -> context.problem("nothing to remove: " + reason));
        report(directory, NOTHING, !dryRun.value(), false);
        return ExitCode.OK;
      }
      if (!dryRun.value()) {
        // Before anybody is asked.
        requireNone(cache.maintenance().writeFault());
      }
      return clear(directory.get(), found.get());
    }
  }

  private int clear(Path directory, Clearing clearing) {
    if (dryRun.value() || asks()) {
      Removed planned = clearing.plan();
      if (dryRun.value() || !isConfirmed(directory, planned)) {
        report(Optional.of(directory), planned, false, false);
        planned.failure().ifPresent(context::problem);
        return ExitCode.OK;
      }
    }
    return Stop.during(
        context,
        "run it again to remove the rest",
        stop -> {
          Removed removed = clearing.run(stop);
          report(Optional.of(directory), removed, true, stop.getAsBoolean());
          removed.failure().ifPresent(context::problem);
          return removed.failure().isPresent() ? ExitCode.UNAVAILABLE : ExitCode.OK;
        });
  }

  private ClearCriteria criteria() {
    ClearCriteria criteria = ClearCriteria.EVERYTHING.withTargets(targets.targets());
    if (olderThan.isGiven()) {
      criteria = criteria.withUnusedFor(olderThan.value());
    }
    return toolchain.isGiven() ? criteria.withStaleOnly() : criteria;
  }

  private boolean asks() {
    return !yes.value() && context.console().columns() > 0;
  }

  private boolean isConfirmed(Path directory, Removed planned) {
    return planned.entries() == 0
        || context.console().confirms("remove " + amount(planned) + " from '" + directory + "'?");
  }

  private void report(
      Optional<Path> directory, Removed amount, boolean removed, boolean interrupted) {
    String verb = removed ? "removed " : dryRun.value() ? "would remove " : "did not remove ";
    boolean nothing = amount.entries() == 0 && amount.bytes() == 0 && !interrupted;
    String what = nothing ? "nothing to remove" : verb + amount(amount);
    show(
        json ->
            json.put("directory", directory)
                .put("dryRun", dryRun.value())
                .put("interrupted", interrupted)
                .put("removed", removed)
                .put("entries", amount.entries())
                .put("size", amount.bytes())
                .putIfPresent("problem", amount.failure()),
        out -> directory.ifPresent(root -> out.println(what + " from '" + root + "'")));
  }

  private static String amount(Removed amount) {
    boolean others = amount.entries() == 0 && amount.bytes() > 0;
    String what = others ? "files of no entry" : Text.entries(amount.entries());
    return what + " (" + Text.bytes(amount.bytes()) + " on disk)";
  }
}
