// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.CacheUsage.Kernel;
import dev.kcache.cache.store.UsageTable;
import dev.kcache.codeobject.TargetId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Makes of a table of usage what a user gets to see. */
final class UsageReader {
  private UsageReader() {}

  static CacheUsage read(UsageTable table) {
    List<Kernel> kernels = new ArrayList<>();
    table.rows().forEach(row -> kernels.add(kernel(row)));
    kernels.sort(
        Comparator.comparing((Kernel kernel) -> kernel.target().isEmpty())
            .thenComparing(kernel -> kernel.target().map(TargetId::toString).orElse(""))
            .thenComparing(kernel -> kernel.source().isEmpty())
            .thenComparing(Kernel::source));
    return new CacheUsage(
        table.isEmpty() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(table.since())),
        kernels);
  }

  private static Kernel kernel(UsageTable.Row row) {
    long[] counts = row.counts();
    return new Kernel(
        target(row.target()),
        row.source(),
        new Counts(
            counts[UsageTable.MEMORY_HITS],
            counts[UsageTable.DISK_HITS],
            counts[UsageTable.MISSES],
            counts[UsageTable.COMPILES],
            counts[UsageTable.FAILED_COMPILES],
            counts[UsageTable.NOT_KEPT],
            Duration.ofNanos(counts[UsageTable.COMPILE_NANOS]),
            Duration.ofNanos(counts[UsageTable.SAVED_NANOS])));
  }

  /** Earlier versions kept one row for all targets, and later ones may know other targets. */
  private static Optional<TargetId> target(String text) {
    try {
      return Optional.of(TargetId.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
