// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * What somebody chose to remove from a cache directory. What is added after the choice, and what is
 * used or written again, is not part of it. Not safe for use by several threads; others may use the
 * directory meanwhile.
 */
public final class RemovalPlan {
  private final EntryRemover remover;
  private final Map<RecordFile, Instant> records;
  private final List<Path> targets;
  private final List<Path> others;

  /**
   * Holds a choice.
   *
   * @param records with the time that each had when it was chosen
   * @param targets directories from which all is to go that no record names
   * @param others files and directories that are no entries
   */
  RemovalPlan(
      EntryRemover remover,
      Map<RecordFile, Instant> records,
      List<Path> targets,
      List<Path> others) {
    this.remover = remover;
    this.records = Map.copyOf(records);
    this.targets = List.copyOf(targets);
    this.others = List.copyOf(others);
  }

  /** Returns how many records it has. */
  public long records() {
    return records.size();
  }

  /** Returns what {@link #remove} would remove now. Takes as long as to read the records. */
  public Removed plan() {
    return run(FileRemover.planned(), () -> false);
  }

  /** Removes it, but for code objects that a writer may need in this moment. */
  public Removed remove() {
    return remove(() -> false);
  }

  /**
   * As {@link #remove()}, but may be stopped.
   *
   * @param stopped whether to leave what has not been begun
   */
  public Removed remove(BooleanSupplier stopped) {
    return run(remover.removal(), stopped);
  }

  private Removed run(FileRemover removal, BooleanSupplier stopped) {
    for (Path other : others) {
      if (!stopped.getAsBoolean()) {
        removal.removeTree(other);
      }
    }
    remover.remove(records, targets, stopped, removal);
    return removal.result();
  }
}
