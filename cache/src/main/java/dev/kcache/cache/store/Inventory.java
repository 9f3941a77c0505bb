// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What there is in a cache directory by its names, sizes and times; nothing is read. What others
 * change meanwhile may be counted or not. Its size is what clearing everything would free: without
 * unpacked compilers, counts, locks and marks, which stay.
 */
final class Inventory {
  private final List<FileGroup> records = new ArrayList<>();
  private final List<FileGroup> others = new ArrayList<>();
  private final Map<Path, Long> bytesByTarget = new HashMap<>();
  private long bytes;
  private Instant oldestUse = Instant.MAX;

  private Inventory() {}

  /** Takes the inventory of a directory; of a part of it once {@code stopped} says so. */
  static Inventory of(DirectoryLayout directory, BooleanSupplier stopped) throws IOException {
    Inventory inventory = new Inventory();
    Files.walkFileTree(directory.root(), inventory.new Counter(directory, stopped));
    return inventory;
  }

  /** Adds what else may go; its bytes are counted already. */
  void add(List<FileGroup> groups) {
    groups.forEach(group -> add(others, group));
  }

  /** Returns each record's file with the last use of its entry. */
  List<FileGroup> records() {
    return records;
  }

  /** Returns what else may go. */
  List<FileGroup> others() {
    return others;
  }

  /** Returns what all of it takes on the disk that clearing would free. */
  long bytes() {
    return bytes;
  }

  /** Returns what a target's directory takes on the disk with all that is in it. */
  long bytes(Path target) {
    return bytesByTarget.getOrDefault(target, 0L);
  }

  /** Returns the last use of what was not used for longest. */
  Instant oldestUse() {
    return oldestUse;
  }

  private void add(List<FileGroup> groups, FileGroup group) {
    groups.add(group);
    if (group.lastUse().isBefore(oldestUse)) {
      oldestUse = group.lastUse();
    }
  }

  /** Counts files; passes over what cannot be looked at. */
  private final class Counter extends SimpleFileVisitor<Path> {
    private final DirectoryLayout directory;
    private final BooleanSupplier stopped;
    private final Set<Path> kept;
    private @Nullable Path target;

    Counter(DirectoryLayout directory, BooleanSupplier stopped) {
      this.directory = directory;
      this.stopped = stopped;
      kept = Set.copyOf(directory.auxiliaryPaths());
    }

    @Override
    public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
      // A compiler that would be unpacked again counts as little as one that is installed.
      if (directory.toolchains().equals(visited)
          || directory.usage().equals(visited)
          || directory.beats().equals(visited)) {
        return FileVisitResult.SKIP_SUBTREE;
      }
      if (directory.isTargetDirectory(visited)) {
        target = visited;
      }
      if (!visited.equals(directory.root()) && !kept.contains(visited)) {
        count(DiskSpace.DIRECTORY);
      }
      return stopped.getAsBoolean() ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (!kept.contains(file)) {
        count(DiskSpace.of(attributes.size()));
      }
      boolean quarantined = directory.quarantine().equals(file.getParent());
      if (quarantined || (target != null && DirectoryLayout.isRecord(target, file))) {
        Instant modified = attributes.lastModifiedTime().toInstant();
        add(quarantined ? others : records, new FileGroup(List.of(file), modified));
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) {
      if (visited.equals(target)) {
        target = null;
      }
      return FileVisitResult.CONTINUE;
    }

    private void count(long added) {
      bytes += added;
      if (target != null) {
        bytesByTarget.merge(target, added, Long::sum);
      }
    }
  }
}
