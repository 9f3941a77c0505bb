// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CollectionResult;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Removes entries, and other files that may go at any time, from a cache directory that exceeds its
 * limits. Within the limits it looks at names and times only.
 *
 * <p>It needs no lock: the directory is sound at every moment. {@link EntryRemover} says why
 * readers and writers come to no harm. An entry that is used before the last look at it stays; one
 * that is used in the microseconds between that look and its removal is a miss the next time. If it
 * is killed, it leaves at worst a code object without a record, which a later collection removes.
 * Two collections at once share the work.
 *
 * <p>Safe for use by any number of threads and processes.
 */
public final class Evictor {
  private final DirectoryLayout directory;
  private final EntryRemover remover;
  private final RateLimit rateLimit;

  Evictor(DirectoryLayout directory, FileOperations files, Access access, EntryRemover remover) {
    this.directory = directory;
    this.remover = remover;
    rateLimit = new RateLimit(directory, files, access, directory.evictionMark());
  }

  /** Returns whether the last collection was an hour ago or more by our own clock. */
  public boolean mayBeDue() {
    try {
      return rateLimit.mayBeDue();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Collects if the last collection was an hour ago or more.
   *
   * @param others files that may go as well
   * @param stopped whether to leave the rest for another time
   * @throws IOException if the directory cannot be looked at or written; nothing was removed
   */
  public Optional<CollectionResult> collectIfDue(
      EvictionPolicy policy, List<FileGroup> others, BooleanSupplier stopped) throws IOException {
    Optional<Instant> now = rateLimit.takeIfDue();
    return now.isPresent()
        ? Optional.of(evict(policy, others, stopped, now.get()))
        : Optional.empty();
  }

  /**
   * Collects.
   *
   * @param others files that may go as well
   * @param stopped whether to leave the rest for another time
   * @throws IOException if the directory cannot be looked at or written; nothing was removed
   */
  public CollectionResult collect(
      EvictionPolicy policy, List<FileGroup> others, BooleanSupplier stopped) throws IOException {
    return evict(policy, others, stopped, begin());
  }

  /** A disk without room for the mark is a reason to collect. */
  private Instant begin() throws IOException {
    try {
      return rateLimit.take();
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      return Instant.now();
    }
  }

  /**
   * Returns what a collection would do now; changes nothing.
   *
   * @param others files that may go as well
   */
  public CollectionResult plan(EvictionPolicy policy, List<FileGroup> others) {
    EvictionRun run = run(policy, others, () -> false, Instant.now());
    return run.result(run.plan().simulate());
  }

  private CollectionResult evict(
      EvictionPolicy policy, List<FileGroup> others, BooleanSupplier stopped, Instant now) {
    EvictionRun run = run(policy, others, stopped, now);
    return run.result(run.plan().remove(stopped));
  }

  private EvictionRun run(
      EvictionPolicy policy, List<FileGroup> others, BooleanSupplier stopped, Instant now) {
    return new EvictionRun(remover, Inventory.of(directory, stopped), others, policy, stopped, now);
  }
}
