// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Plans what to remove from a cache directory; changes nothing. */
final class RemovalPlanner {
  private final DirectoryLayout directory;
  private final EntryReader reader;
  private final FileClock clock;
  private final EntryRemover remover;
  private final Sweeper sweeper;

  RemovalPlanner(
      DirectoryLayout directory,
      EntryReader reader,
      FileClock clock,
      EntryRemover remover,
      Sweeper sweeper) {
    this.directory = directory;
    this.reader = reader;
    this.clock = clock;
    this.remover = remover;
    this.sweeper = sweeper;
  }

  /** Plans the removal of everything but the lock, statistics and what writers work on. */
  RemovalPlan all() throws IOException {
    Map<RecordFile, Instant> records = new HashMap<>();
    for (RecordFile name : directory.listing().records()) {
      lastUse(name).ifPresent(time -> records.put(name, time));
    }
    List<Path> others = new ArrayList<>(sweeper.leftovers(clock.now()));
    others.addAll(directory.listing().probeCaches());
    others.addAll(directory.listing().quarantined());
    List<Consumer<FileRemover>> removals = new ArrayList<>();
    others.forEach(other -> removals.add(files -> files.removeTree(other)));
    return new RemovalPlan(remover, records, directory.listing().targetDirectories(), removals);
  }

  /** Plans the removal of some of the {@link #usedEntries}. */
  RemovalPlan of(Collection<UsedEntry> chosen) {
    Map<RecordFile, Instant> records = new HashMap<>();
    for (UsedEntry each : chosen) {
      CacheEntry entry = each.entry();
      records.put(directory.record(Request.of(entry), entry.toolchain()), each.lastUse());
    }
    return new RemovalPlan(remover, records, List.of(), List.of());
  }

  /**
   * Returns the entries with their last use; damaged ones, which verification finds, are left out.
   */
  List<UsedEntry> usedEntries() throws IOException {
    Instant now = clock.now();
    return directory.listing().records().parallelStream()
        .flatMap(name -> usedEntry(name, now).stream())
        .toList();
  }

  private Optional<UsedEntry> usedEntry(RecordFile name, Instant now) {
    try {
      Optional<Instant> last = lastUse(name);
      Optional<CacheEntry> entry = reader.parse(name.file(), name);
      return last.isPresent() && entry.isPresent()
          ? Optional.of(new UsedEntry(entry.get(), last.get(), Duration.between(last.get(), now)))
          : Optional.empty();
    } catch (DamagedEntryException e) {
      return Optional.empty();
    }
  }

  private static Optional<Instant> lastUse(RecordFile name) {
    try {
      return Optional.of(
          Files.getLastModifiedTime(name.file(), LinkOption.NOFOLLOW_LINKS).toInstant());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
