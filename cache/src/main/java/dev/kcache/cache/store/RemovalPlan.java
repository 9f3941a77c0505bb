// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.util.stream.Collectors.toMap;

import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.store.Inventory.Found;
import dev.kcache.cache.store.Inventory.Target;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The entries and files to remove from a cache directory. Entries that are added, used or written
 * again after the plan was made stay. Not safe for use by several threads.
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
   * @param targets directories from which every file goes that no record names
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

  /**
   * Plans the removal of everything but the lock, statistics, unpacked compilers and files in use
   * by writers.
   *
   * @param now the time by the clock of the file system
   */
  static RemovalPlan ofEverything(DirectoryLayout directory, EntryRemover remover, Instant now) {
    Inventory inventory = Inventory.of(directory);
    List<Consumer<FileRemover>> others = new ArrayList<>();
    Stream.concat(
            inventory.leftovers(now.minus(Sweeper.LEFTOVER_AGE)).stream(),
            directory.listing().probeCaches().stream())
        .forEach(tree -> others.add(files -> files.removeTree(tree)));
    inventory.quarantined().forEach(group -> others.add(files -> files.remove(group)));
    Instant grace = now.minus(EntryRemover.GRACE);
    inventory.targets().stream()
        .flatMap(target -> target.orphanedSignatures().stream())
        .filter(orphan -> orphan.modified().isBefore(grace))
        .forEach(orphan -> others.add(files -> EntryRemover.removeOrphan(orphan, files)));
    return new RemovalPlan(
        remover,
        inventory.records().stream().collect(toMap(Found::what, Found::modified)),
        inventory.targets().stream().map(Target::path).toList(),
        others);
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
   * @param stopped whether to skip the rest
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
