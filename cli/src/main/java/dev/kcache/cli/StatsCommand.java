// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.ClearCriteria;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** {@code kcache stats}: shows hits, misses, compiles and sizes. */
final class StatsCommand extends Verb {
  private final Argument<Boolean> reset =
      Argument.flag("--reset", "Begin counting anew, once what has been counted is", "shown.");

  StatsCommand(CliContext context) {
    super(context);
  }

  @Override
  CommandSpec spec() {
    return spec(
        "stats",
        List.of(reset),
        "Shows hits, misses, compile times and sizes.",
        "What all processes that use this user's cache directory have done since it is",
        "counted, in all, by target and by kernel, and what its entries take. A program",
        "that runs adds to it at its end, and every ten seconds that it works with the",
        "disk.");
  }

  @Override
  public Integer call() {
    try (CacheManager cache = options.cache(context).build()) {
      CommonOptions.requireNone(cache.maintenance().readFault());
      StatsReport report =
          new StatsReport(
              cache.maintenance().directory(),
              cache.maintenance().usage(),
              cache.maintenance().entries(),
              cache
                  .maintenance()
                  .clearing(ClearCriteria.EVERYTHING)
                  .map(each -> each.plan().bytes())
                  .orElse(0L),
              cache.maintenance().probeCacheBytes(),
              cache.maintenance().toolchainBytes());
      if (reset.value()) {
        // Before anything is printed: that it fails is a document of its own.
        cache.maintenance().resetUsage();
      }
      show("stats", report);
      if (options.namesDirectory()) {
        context.problem(
            CommonOptions.absence(cache)
                .orElse(
                    "entries and their sizes are those of the directory that is named; the rest is"
                        + " always counted in your own"));
      }
    }
    return ExitCode.OK;
  }
}
