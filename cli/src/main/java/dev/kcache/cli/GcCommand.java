// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheLimits;
import dev.kcache.cache.CacheMaintenance;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.directory.CollectionResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code kcache gc}: removes what exceeds the limits of the cache. */
final class GcCommand extends Verb {
  private final Argument<Boolean> dryRun =
      arguments.flag("--dry-run", "Only tell what would be removed.");

  private final Argument<OptionalLong> maxSize =
      arguments.option(
          "--max-size",
          "SIZE",
          CacheLimits::parseSize,
          "How much disk space the cache may take, such as 500MB, 5GB or 2GiB; 0 for no limit."
              + " Default: $KCACHE_MAX_SIZE or 5GB.");

  private final Argument<Optional<Duration>> maxAge =
      arguments.option(
          "--max-age",
          "AGE",
          CacheLimits::parseAge,
          "How long an entry may go unused, such as 90d, 2w or 12h; 0 for no limit. Default:"
              + " $KCACHE_MAX_AGE or no limit.");

  GcCommand(CliContext context) {
    super(
        context,
        "gc",
        "Removes from the cache what exceeds its limits.",
        "Removes the entries that went unused for too long; if the cache is still larger than its"
            + " limit, also the least recently used ones, until a tenth of the limit is free."
            + " Programs may use the cache meanwhile. A program that adds entries does the same, at"
            + " most once an hour, but not in a directory that --cache-dir names: last uses are not"
            + " recorded there, so the oldest entries go first.");
  }

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() {
    CacheManagerBuilder builder = existingCache();
    if (maxSize.isGiven()) {
      maxSize.value().ifPresentOrElse(builder::maxSize, builder::withoutMaxSize);
    }
    if (maxAge.isGiven()) {
      maxAge.value().ifPresentOrElse(builder::maxAge, builder::withoutMaxAge);
    }
    try (CacheManager cache = builder.build()) {
      CacheMaintenance maintenance = cache.maintenance();
      absence(cache).ifPresent(reason -> context.problem("nothing to remove: " + reason));
      if (dryRun.value()) {
        return report(maintenance, maintenance.planCollection(), false);
      }
      return Stop.during(
          context,
          "run it again to remove the rest",
          stop -> {
            CollectionResult result = maintenance.collect(stop);
            return report(maintenance, result, stop.getAsBoolean());
          });
    }
  }

  private int report(CacheMaintenance maintenance, CollectionResult result, boolean interrupted) {
    CacheLimits limits = maintenance.limits();
    show(
        json ->
            json.put("directory", maintenance.directory())
                .put("dryRun", dryRun.value())
                .put("interrupted", interrupted)
                .put("maxSize", limits.maxSize().stream().boxed().findFirst())
                .put("maxAgeSeconds", limits.maxAge().map(Duration::toSeconds))
                .put("entries", result.entries())
                .put("size", result.bytes())
                .put("removedEntries", result.entriesRemoved())
                .put("freedSize", result.bytesFreed())
                .putIfPresent("problem", result.failure()),
        out -> out.println(line(limits, result)));
    result.failure().ifPresent(context::problem);
    long rest = result.bytes() - result.bytesFreed();
    if (!interrupted && limits.maxSize().stream().anyMatch(most -> rest > most)) {
      context.problem(
          Text.bytes(rest)
              + (dryRun.value() ? " would stay" : " stay")
              + ", more than the limit: what is remembered of compilers, the counts, and files of"
              + " the last ten minutes that no entry names");
    }
    return result.failure().isPresent() ? ExitCode.UNAVAILABLE : ExitCode.OK;
  }

  private String line(CacheLimits limits, CollectionResult result) {
    boolean dry = dryRun.value();
    return "%s %d of %s, %s %s of %s; %s"
        .formatted(
            dry ? "would remove" : "removed",
            result.entriesRemoved(),
            Text.entries(result.entries()),
            dry ? "free" : "freed",
            Text.bytes(result.bytesFreed()),
            Text.bytes(result.bytes()),
            limits(limits));
  }

  private static String limits(CacheLimits limits) {
    List<String> texts = new ArrayList<>();
    limits.maxSize().ifPresent(bytes -> texts.add("at most " + Text.bytes(bytes)));
    limits.maxAge().ifPresent(age -> texts.add("unused for at most " + Text.age(age)));
    return texts.isEmpty() ? "unlimited" : String.join(", ", texts) + " may stay";
  }
}
