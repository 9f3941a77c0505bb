// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.store.UsageTable;
import dev.kcache.codeobject.TargetId;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the processes that use a cache directory have done, summed up. A process adds to it every
 * ten seconds that it works with the disk, and at its end; one that is killed may leave out the
 * last of them.
 *
 * @param since since when that has been counted; empty if nothing has been
 * @param kernels the counts of each source for each target, ordered by target and source. Some
 *     thousand sources have counts of their own; the rest are summed up, last of their target
 * @param days the latest 14 days on which requests were written down, the first first
 */
public record CacheUsage(Optional<Instant> since, List<Kernel> kernels, List<Day> days) {
  /**
   * Copies the lists.
   *
   * @param since as {@link #since()}
   * @param kernels as {@link #kernels()}; copied
   * @param days as {@link #days()}; copied
   */
  public CacheUsage {
    kernels = List.copyOf(kernels);
    days = List.copyOf(days);
  }

  /**
   * The requests of a day. They are of the day on which their process wrote them down, which is
   * where its counts are added to the sum.
   *
   * @param date the day, in UTC
   * @param hits requests served from memory, disk or a remote
   * @param misses all others
   */
  public record Day(LocalDate date, long hits, long misses) {}

  /**
   * The counts of a source for a target.
   *
   * @param target the target; empty if this version does not know it, and for what earlier versions
   *     summed up over all targets
   * @param source the source's logical name; empty for the sources without counts of their own
   * @param counts the counts
   */
  public record Kernel(Optional<TargetId> target, String source, Counts counts) {}

  /**
   * How often what happened.
   *
   * @param memoryHits requests served from memory
   * @param diskHits requests served from disk, layers included
   * @param misses requests that got nothing but a compile: their own, another's that they waited
   *     for, or none; with the hits, all requests
   * @param compiles compiles that succeeded
   * @param failedCompiles compiles that failed
   * @param notKept compiled results that could not be written to disk
   * @param compileTime time spent in the compiler
   * @param savedTime time that hits on the disk and in remotes would have spent in the compiler
   * @param remoteHits requests served from a remote
   * @param uploads compiled results that were written to each remote
   * @param droppedUploads compiled results that should have been, and were not
   */
  public record Counts(
      long memoryHits,
      long diskHits,
      long misses,
      long compiles,
      long failedCompiles,
      long notKept,
      Duration compileTime,
      Duration savedTime,
      long remoteHits,
      long uploads,
      long droppedUploads) {
    /** Nothing. */
    public static final Counts NONE =
        new Counts(0, 0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, 0, 0, 0);

    /** Returns the counts of a row of a table of usage. */
    static Counts of(long[] columns) {
      return new Counts(
          columns[UsageTable.MEMORY_HITS],
          columns[UsageTable.DISK_HITS],
          columns[UsageTable.MISSES],
          columns[UsageTable.COMPILES],
          columns[UsageTable.FAILED_COMPILES],
          columns[UsageTable.NOT_KEPT],
          Duration.ofNanos(columns[UsageTable.COMPILE_NANOS]),
          Duration.ofNanos(columns[UsageTable.SAVED_NANOS]),
          columns[UsageTable.REMOTE_HITS],
          columns[UsageTable.UPLOADED],
          columns[UsageTable.NOT_UPLOADED]);
    }

    /** {@return the requests that were served without a compile: from memory, disk or a remote} */
    public long hits() {
      return memoryHits + diskHits + remoteHits;
    }

    /**
     * {@return how long a compile took on average, those that failed included; empty if there was
     * none}
     */
    public Optional<Duration> meanCompileTime() {
      long all = compiles + failedCompiles;
      return all == 0
          ? Optional.empty()
          : Optional.of(Duration.ofNanos(compileTime.toNanos() / all));
    }

    /**
     * {@return the sum of these counts and others, each added to its own kind}
     *
     * @param other the counts to add, which stay as they are
     */
    public Counts plus(Counts other) {
      requireNonNull(other, "other");
      return new Counts(
          memoryHits + other.memoryHits,
          diskHits + other.diskHits,
          misses + other.misses,
          compiles + other.compiles,
          failedCompiles + other.failedCompiles,
          notKept + other.notKept,
          compileTime.plus(other.compileTime),
          savedTime.plus(other.savedTime),
          remoteHits + other.remoteHits,
          uploads + other.uploads,
          droppedUploads + other.droppedUploads);
    }
  }

  /** Returns what a table of usage has counted. */
  static CacheUsage of(UsageTable table) {
    List<Kernel> kernels = new ArrayList<>();
    for (UsageTable.Row row : table.rows()) {
      kernels.add(new Kernel(target(row.target()), row.source(), Counts.of(row.counts())));
    }
    kernels.sort(
        Comparator.comparing((Kernel kernel) -> kernel.target().isEmpty())
            .thenComparing(kernel -> kernel.target().map(TargetId::toString).orElse(""))
            .thenComparing(kernel -> kernel.source().isEmpty())
            .thenComparing(Kernel::source));
    return new CacheUsage(
        table.isEmpty() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(table.since())),
        kernels,
        table.days().entrySet().stream()
            .map(
                each ->
                    new Day(
                        LocalDate.ofEpochDay(each.getKey()),
                        each.getValue().hits(),
                        each.getValue().misses()))
            .toList());
  }

  /** Earlier versions kept one row for all targets, and later ones may know other targets. */
  private static Optional<TargetId> target(String text) {
    try {
      return Optional.of(TargetId.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** {@return the sum over all kernels, those without counts of their own included} */
  public Counts total() {
    return kernels.stream().map(Kernel::counts).reduce(Counts.NONE, Counts::plus);
  }
}
