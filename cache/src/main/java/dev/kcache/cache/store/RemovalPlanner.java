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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/** Chooses what to remove from a cache directory; changes nothing. */
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

  /** A record with when it was used last. */
  private record Used(RecordFile name, CacheEntry entry, Instant last) {}

  /** Returns everything but what writers are busy with, the lock and statistics. */
  RemovalPlan everything() throws IOException {
    Map<RecordFile, Instant> records = new HashMap<>();
    for (RecordFile name : directory.listing().records()) {
      lastUse(name).ifPresent(time -> records.put(name, time));
    }
    List<Path> others = new ArrayList<>(sweeper.leftovers(clock.now()));
    others.addAll(directory.listing().probeCaches());
    others.addAll(directory.listing().quarantined());
    return new RemovalPlan(remover, records, directory.listing().targetDirectories(), others);
  }

  private static Optional<Instant> lastUse(RecordFile name) {
    try {
      return Optional.of(
          Files.getLastModifiedTime(name.file(), LinkOption.NOFOLLOW_LINKS).toInstant());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns the entries that are wanted, by themselves and by how long ago they were used. */
  RemovalPlan matching(BiPredicate<CacheEntry, Duration> wanted) throws IOException {
    Instant now = clock.now();
    List<Used> all =
        directory.listing().records().parallelStream()
            .flatMap(name -> used(name).stream())
            .toList();
    Map<RecordFile, Instant> chosen = new HashMap<>();
    for (Used each : all) {
      if (wanted.test(each.entry(), Duration.between(each.last(), now))) {
        chosen.put(each.name(), each.last());
      }
    }
    return new RemovalPlan(remover, chosen, List.of(), List.of());
  }

  private Optional<Used> used(RecordFile name) {
    try {
      Optional<Instant> last = lastUse(name);
      Optional<CacheEntry> entry = reader.parse(name.file(), name);
      return last.isPresent() && entry.isPresent()
          ? Optional.of(new Used(name, entry.get(), last.get()))
          : Optional.empty();
    } catch (DamagedEntryException e) {
      // Verification is for those.
      return Optional.empty();
    }
  }
}
