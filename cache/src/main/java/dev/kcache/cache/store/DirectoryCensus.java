// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.DirectoryHealth.Counts;
import dev.kcache.cache.store.DirectoryLayout.ContentFile;
import dev.kcache.cache.store.Inventory.Found;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Examines a cache directory for its {@link DirectoryHealth}: reads each name and each record, and
 * changes nothing. What others change meanwhile may be counted or not.
 */
final class DirectoryCensus {
  private static final Counts NONE = new Counts(0, 0, 0, 0, 0);

  private final DirectoryLayout directory;
  private final EntryReader reader;

  DirectoryCensus(DirectoryLayout directory, EntryReader reader) {
    this.directory = directory;
    this.reader = reader;
  }

  /** Returns the health of a directory with that status and the faults that using it showed. */
  DirectoryHealth health(
      DirectoryStatus status, Optional<String> fault, Optional<String> lockFault) {
    Counts counts = NONE;
    long bytes = 0;
    if (status.readable()) {
      // First the entries: the files of one that is added now are then found.
      List<CacheEntry> entries = reader.entries();
      Inventory inventory = Inventory.of(directory.real());
      counts = counts(entries, inventory);
      bytes = inventory.bytes();
    }
    return new DirectoryHealth(
        directory.root(), status.exists(), fault, lockFault, counts, bytes, freeBytes());
  }

  private Counts counts(List<CacheEntry> entries, Inventory inventory) {
    DirectoryLayout real = directory.real();
    Set<Path> present =
        inventory.targets().stream()
            .flatMap(target -> target.contents().stream())
            .map(Found::what)
            .map(ContentFile::file)
            .collect(Collectors.toSet());
    long complete =
        entries.stream().filter(entry -> present.containsAll(real.contentsOf(entry))).count();
    return new Counts(
        complete,
        entries.size() - complete,
        Math.max(0, inventory.records().size() - entries.size()),
        inventory.quarantined().size(),
        inventory.temporaryFiles());
  }

  /** By way of {@link java.io.File}: a chroot often lacks the mount table that NIO looks into. */
  private long freeBytes() {
    Path existing = directory.root();
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    return existing.toFile().getUsableSpace();
  }
}
