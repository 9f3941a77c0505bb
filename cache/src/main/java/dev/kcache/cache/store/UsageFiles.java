// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The counts of all processes that use a cache directory. A process adds a file whenever it writes
 * down what it has counted since the last time; the sum over the files is the answer.
 *
 * <p>A file appears whole, under a unique name, and never changes. When there are many, a process
 * merges them into a new file that names the files it replaces: readers ignore those from then on,
 * and they are deleted. So a kill at any instant neither loses a count nor counts it twice. A byte
 * of the lock file lets one process merge at a time; without working locks nobody merges. A reader
 * starts over if files are merged meanwhile.
 *
 * <p>Damaged files are ignored. Nothing is forced to the disk: a power cut may lose the latest
 * counts. Safe for use by any number of threads and processes; but no thread may be interrupted in
 * {@link #merge} or {@link #reset}, see {@link LockFile}.
 */
final class UsageFiles {
  static final int MOST_FILES = 64;

  /** Counting stops here if nobody can merge; the files then take 4 MB. */
  static final int MOST_UNMERGED = 1000;

  /** A request may have this position by chance; then one waits for the other. */
  private static final long LOCK_POSITION = 7;

  private static final int ATTEMPTS = 100;

  private final DirectoryLayout directory;
  private final FileOperations files;
  private final Access access;

  UsageFiles(DirectoryLayout directory, FileOperations files, Access access) {
    this.directory = directory;
    this.files = files;
    this.access = access;
  }

  boolean areMany() {
    return files.count(directory.usage()) >= MOST_FILES;
  }

  /**
   * Adds what a process has counted.
   *
   * @throws IOException if they cannot be written, or {@link #MOST_UNMERGED} files could not be
   *     merged; then nothing is added
   */
  void add(UsageTable table) throws IOException {
    int present = files.count(directory.usage());
    if (present >= MOST_UNMERGED) {
      throw new IOException(present + " files with counts have not been merged");
    }
    write(table);
  }

  private Path write(UsageTable table) throws IOException {
    Path file = directory.newUsage();
    Path temporary = directory.temporaryFor(file);
    try {
      files.createFile(temporary, Access.PRIVATE);
      files.write(temporary, ByteBuffer.wrap(table.encode()));
      files.rename(temporary, file);
      return file;
    } catch (IOException | RuntimeException e) {
      files.discard(temporary, e);
      throw e;
    }
  }

  UsageTable sum() {
    for (int attempt = 1; ; attempt++) {
      Set<Path> present = list();
      Map<Path, UsageTable> tables = read(present);
      if (attempt == ATTEMPTS || !wasMergedSince(present)) {
        return sum(tables);
      }
    }
  }

  /** Files that were only added do no harm: the sum is of the moment before. */
  private boolean wasMergedSince(Set<Path> before) {
    Set<Path> added = list();
    if (!added.containsAll(before)) {
      return true;
    }
    added.removeAll(before);
    return !absorbed(read(added)).isEmpty();
  }

  /** Merges all files into one, unless another process is doing so. */
  void merge() throws IOException {
    Optional<FileLock> held = tryLock();
    if (held.isEmpty()) {
      return;
    }
    try {
      Set<Path> present = list();
      Map<Path, UsageTable> tables = read(present);
      if (tables.size() > 1) {
        UsageTable merged = sum(tables);
        merged.absorbed().addAll(stillThere(present, absorbed(tables)));
        tables.keySet().forEach(file -> merged.absorbed().add(nameOf(file)));
        write(merged);
        for (Path file : tables.keySet()) {
          files.delete(file);
        }
      }
    } finally {
      held.get().release();
    }
  }

  /** A merged file that could not be deleted and cannot be read now may become readable again. */
  private static Set<String> stillThere(Set<Path> present, Set<String> absorbed) {
    Set<String> there = new TreeSet<>(absorbed);
    there.retainAll(present.stream().map(UsageFiles::nameOf).toList());
    return there;
  }

  /** Deletes all files: counting begins anew. */
  void reset() throws IOException {
    Optional<FileLock> held = tryLock();
    if (held.isEmpty()) {
      throw new IOException("another process merges statistics at the moment; try again");
    }
    try {
      for (Path file : list()) {
        files.delete(file);
      }
    } finally {
      held.get().release();
    }
  }

  private Optional<FileLock> tryLock() throws IOException {
    return new LockFile(directory.lock(), access).tryLock(LOCK_POSITION);
  }

  /** Starts with the longest table, so that the rows of a merged file stay rows. */
  private static UsageTable sum(Map<Path, UsageTable> tables) {
    Set<String> absorbed = absorbed(tables);
    UsageTable sum = new UsageTable(Long.MAX_VALUE);
    tables.entrySet().stream()
        .filter(each -> !absorbed.contains(nameOf(each.getKey())))
        .map(Map.Entry::getValue)
        .sorted(Comparator.comparing(table -> -table.rows().size()))
        .forEach(sum::add);
    return sum;
  }

  private static Set<String> absorbed(Map<Path, UsageTable> tables) {
    Set<String> absorbed = new HashSet<>();
    tables.values().forEach(table -> absorbed.addAll(table.absorbed()));
    return absorbed;
  }

  private Set<Path> list() {
    return new TreeSet<>(directory.listing().usages());
  }

  private Map<Path, UsageTable> read(Set<Path> present) {
    Map<Path, UsageTable> tables = new HashMap<>();
    for (Path file : present) {
      try {
        byte[] bytes = files.read(file, UsageTable.MAX_BYTES + 1);
        tables.put(file, UsageTable.decode(bytes));
      } catch (IOException | DamagedEntryException e) {
        // Gone or damaged.
      }
    }
    return tables;
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName());
  }
}
