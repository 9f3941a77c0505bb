// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.DirectoryHealth.Counts;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;

/**
 * Examines a cache directory for its {@link DirectoryHealth}: reads each name and each record, and
 * changes nothing. What others change meanwhile may be counted or not.
 */
final class DirectoryCensus {
  private final DirectoryLayout directory;
  private final EntryReader reader;

  DirectoryCensus(DirectoryLayout directory, EntryReader reader) {
    this.directory = directory;
    this.reader = reader;
  }

  /** Returns the health of a directory with that status and the faults that using it showed. */
  DirectoryHealth health(
      DirectoryStatus status, Optional<String> fault, Optional<String> lockFault) {
    List<CacheEntry> readable = status.readable() ? reader.entries() : List.of();
    long complete = readable.stream().filter(this::isComplete).count();
    Walk walk = status.readable() ? walk() : new Walk(directory);
    return new DirectoryHealth(
        directory.root(),
        status.exists(),
        fault,
        lockFault,
        new Counts(
            complete,
            readable.size() - complete,
            status.readable()
                ? Math.max(0, directory.listing().records().size() - readable.size())
                : 0,
            walk.quarantined,
            walk.leftovers),
        status.readable() ? bytes() : 0,
        freeBytes());
  }

  private boolean isComplete(CacheEntry entry) {
    Request request = Request.of(entry);
    return Files.exists(directory.codeObject(request, entry.codeObject()))
        && entry.lists().stream()
            .allMatch(list -> Files.exists(directory.dependencies(request, list)));
  }

  private long bytes() {
    try {
      return Inventory.of(directory.real(), () -> false).bytes();
    } catch (IOException e) {
      return 0;
    }
  }

  private Walk walk() {
    Walk walk = new Walk(directory.real());
    try {
      Files.walkFileTree(directory.real().root(), walk);
    } catch (IOException e) {
      return walk;
    }
    return walk;
  }

  /** By way of {@link java.io.File}: a chroot often lacks the mount table that NIO looks into. */
  private long freeBytes() {
    Path existing = directory.root();
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    return existing.toFile().getUsableSpace();
  }

  /** Counts files; passes over what cannot be read. */
  private static final class Walk extends SimpleFileVisitor<Path> {
    private final DirectoryLayout directory;
    private long quarantined;
    private long leftovers;

    Walk(DirectoryLayout directory) {
      this.directory = directory;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (file.startsWith(directory.quarantine())) {
        quarantined++;
      } else if (directory.isTemporary(file)) {
        leftovers++;
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }
}
