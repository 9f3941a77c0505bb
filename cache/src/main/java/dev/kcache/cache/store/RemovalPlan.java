// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What is to be removed from a cache directory. Entries that are added, used or written again after
 * the plan was made stay. Not safe for use by several threads; others may use the directory
 * meanwhile.
 */
public final class RemovalPlan {
  private final EntryRemover remover;
  private final Map<RecordFile, Instant> records;
  private final List<Path> targets;
  private final List<Consumer<FileRemover>> others;

  /**
   * Creates a plan.
   *
   * @param records the records to remove, each with its last use
   * @param targets directories from which everything goes that no record names
   * @param others further removals
   */
  RemovalPlan(
      EntryRemover remover,
      Map<RecordFile, Instant> records,
      Collection<Path> targets,
      List<Consumer<FileRemover>> others) {
    this.remover = remover;
    this.records = Map.copyOf(records);
    this.targets = List.copyOf(targets);
    this.others = List.copyOf(others);
  }

  /** Returns the number of records. */
  public long records() {
    return records.size();
  }

  /** Returns what {@link #remove} would remove now. Reads the records. */
  public Removed simulate() {
    return run(FileRemover.planned(), () -> false);
  }

  /**
   * Carries out the plan, except for code objects that a writer may be about to use.
   *
   * @param stopped whether to leave what has not been begun
   */
  public Removed remove(BooleanSupplier stopped) {
    return run(remover.fileRemover(), stopped);
  }

  private Removed run(FileRemover files, BooleanSupplier stopped) {
    for (Consumer<FileRemover> other : others) {
      if (!stopped.getAsBoolean()) {
        other.accept(files);
      }
    }
    remover.remove(records, targets, stopped, files);
    return files.result();
  }
}
