// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.store.CacheDirectory.ContentFile;
import dev.kcache.cache.store.CacheDirectory.RecordFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/** Chooses what to remove from a cache directory; changes nothing. */
final class Selector {
  private final CacheDirectory directory;
  private final EntryReader reader;
  private final FileClock clock;
  private final Remover remover;
  private final Sweeper sweeper;

  Selector(
      CacheDirectory directory,
      EntryReader reader,
      FileClock clock,
      Remover remover,
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
  Selection everything() throws IOException {
    List<Path> contents = new ArrayList<>();
    for (Path target : directory.targetDirectories()) {
      directory.contents(target).stream().map(ContentFile::file).forEach(contents::add);
    }
    List<Path> others = new ArrayList<>(sweeper.leftovers(clock.now()));
    others.addAll(directory.memos());
    others.addAll(directory.quarantined());
    return new Selection(remover, sweeper, directory.records(), contents, others, true);
  }

  /** Returns the entries that are wanted, by themselves and by how long ago they were used. */
  Selection matching(BiPredicate<CacheEntry, Duration> wanted) throws IOException {
    Instant now = clock.now();
    SharedTexts shared = new SharedTexts();
    List<Used> all =
        directory.records().parallelStream().flatMap(name -> used(name, shared).stream()).toList();
    List<RecordFile> chosen = new ArrayList<>();
    Set<Path> contents = new HashSet<>();
    Set<Path> needed = new HashSet<>();
    for (Used each : all) {
      boolean goes = wanted.test(each.entry(), Duration.between(each.last(), now));
      if (goes) {
        chosen.add(each.name());
      }
      Request request = each.name().request();
      Set<Path> named = goes ? contents : needed;
      named.add(directory.codeObject(request, each.entry().codeObject()));
      named.add(directory.dependencies(request, each.entry().dependencies()));
    }
    contents.removeAll(needed);
    return new Selection(remover, sweeper, chosen, contents, List.of(), false);
  }

  private Optional<Used> used(RecordFile name, SharedTexts shared) {
    try {
      Instant last = Files.getLastModifiedTime(name.file()).toInstant();
      return reader.parse(name.file(), name, shared).map(entry -> new Used(name, entry, last));
    } catch (IOException | DamagedEntryException e) {
      // Verification is for those.
      return Optional.empty();
    }
  }
}
