// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.store.DirectoryLayout.ContentFile;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The names, sizes and times that one walk over a cache directory found. Reads no file and may miss
 * concurrent changes. Immutable.
 */
final class Inventory {
  private final List<Target> targets = new ArrayList<>();
  private final List<FileGroup> quarantined = new ArrayList<>();
  private final List<Found<Path>> leftovers = new ArrayList<>();
  private long temporaryFiles;
  private long bytes;

  /**
   * Something in the directory.
   *
   * @param what its name
   * @param bytes its disk usage
   * @param modified its modification time
   */
  record Found<T>(T what, long bytes, Instant modified) {
    private static <T> Found<T> of(T what, BasicFileAttributes attributes) {
      long bytes = attributes.isDirectory() ? DiskSpace.DIRECTORY : DiskSpace.of(attributes.size());
      return new Found<>(what, bytes, attributes.lastModifiedTime().toInstant());
    }
  }

  /** The directory of one target and label. */
  static final class Target {
    private final Path path;
    private final List<Found<RecordFile>> records = new ArrayList<>();
    private final List<Found<ContentFile>> contents = new ArrayList<>();
    private final List<Found<Path>> emptied = new ArrayList<>();

    /** The signatures that were found, each by its record. */
    private final Map<Path, Found<Path>> signatures = new HashMap<>();

    private Request request;
    private Path requestDirectory;
    private long bytes;

    private Target(Path path, Request any) {
      this.path = path;
      request = any;
      requestDirectory = path;
    }

    private static Optional<Target> at(Path path) {
      return DirectoryLayout.anyRequest(path).map(any -> new Target(path, any));
    }

    private void enter(Path directory, BasicFileAttributes attributes) {
      Optional<Digest> digest = DirectoryLayout.digestOf(directory);
      if (digest.isPresent() && path.equals(directory.getParent())) {
        request = request.with(digest.get());
        requestDirectory = directory;
        emptied.add(Found.of(directory, attributes));
      }
    }

    private void add(Path file, BasicFileAttributes attributes) {
      if (path.equals(file.getParent())) {
        DirectoryLayout.contentAt(file).ifPresent(name -> contents.add(Found.of(name, attributes)));
      } else if (requestDirectory.equals(file.getParent())) {
        DirectoryLayout.recordAt(request, file).ifPresent(name -> addRecord(name, attributes));
        DirectoryLayout.recordSignedAt(request, file)
            .ifPresent(name -> signatures.put(name.file(), Found.of(file, attributes)));
      }
    }

    private void addRecord(RecordFile name, BasicFileAttributes attributes) {
      records.add(Found.of(name, attributes));
      int last = emptied.size() - 1;
      if (last >= 0 && emptied.get(last).what().equals(requestDirectory)) {
        emptied.remove(last);
      }
    }

    Path path() {
      return path;
    }

    /** Returns the records; the modification time of each is the last use of its entry. */
    List<Found<RecordFile>> records() {
      return records;
    }

    List<Found<ContentFile>> contents() {
      return contents;
    }

    /** Returns the files with signatures. */
    Collection<Found<Path>> signatures() {
      return signatures.values();
    }

    /** Returns the disk usage of the signatures of a record. */
    long signatureBytes(RecordFile record) {
      Found<Path> signature = signatures.get(record.file());
      return signature == null ? 0 : signature.bytes();
    }

    /** Returns the files with signatures whose records are gone. */
    List<Found<Path>> orphanedSignatures() {
      Map<Path, Found<Path>> orphans = new HashMap<>(signatures);
      records.forEach(record -> orphans.remove(record.what().file()));
      return List.copyOf(orphans.values());
    }

    /** Returns the directories of requests that hold no record. */
    List<Found<Path>> emptied() {
      return emptied;
    }

    /** Returns the disk usage of the directory and everything in it. */
    long bytes() {
      return bytes;
    }
  }

  private Inventory() {}

  /** Takes the inventory of a directory, given by its real path. */
  static Inventory of(DirectoryLayout directory) {
    return of(directory, () -> false);
  }

  /** Takes the inventory of a directory; stops early once {@code stopped} is true. */
  static Inventory of(DirectoryLayout directory, BooleanSupplier stopped) {
    Inventory inventory = new Inventory();
    try {
      Files.walkFileTree(directory.root(), inventory.new Walk(directory, stopped));
    } catch (IOException e) {
      // The visitor throws none.
      throw new UncheckedIOException(e);
    }
    return inventory;
  }

  List<Target> targets() {
    return targets;
  }

  List<Found<RecordFile>> records() {
    return targets.stream().flatMap(target -> target.records.stream()).toList();
  }

  /** Returns the damaged files that were moved aside. */
  List<FileGroup> quarantined() {
    return quarantined;
  }

  /** Returns the files of killed writers, unchanged since {@code bound}. */
  List<Path> leftovers(Instant bound) {
    return leftovers.stream()
        .filter(found -> found.modified().isBefore(bound))
        .map(Found::what)
        .toList();
  }

  /** Returns the number of files that are being written, or that killed writers left. */
  long temporaryFiles() {
    return temporaryFiles;
  }

  /**
   * Returns the disk usage that clearing everything would free: without unpacked compilers, counts,
   * locks and marks, which stay.
   */
  long bytes() {
    return bytes;
  }

  /** Skips what cannot be examined. */
  private final class Walk extends SimpleFileVisitor<Path> {
    private final DirectoryLayout directory;
    private final BooleanSupplier stopped;
    private final Set<Path> kept;
    private final Set<Path> uncounted;
    private boolean counts = true;
    private @Nullable Target target;

    Walk(DirectoryLayout directory, BooleanSupplier stopped) {
      this.directory = directory;
      this.stopped = stopped;
      kept = new HashSet<>(directory.auxiliaryPaths());
      kept.add(directory.root());
      // An unpacked compiler would be unpacked again, so it does not count.
      uncounted = Set.of(directory.toolchains(), directory.usage(), directory.beats());
    }

    @Override
    public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
      if (directory.root().equals(visited.getParent())) {
        counts = !uncounted.contains(visited);
        target = Target.at(visited).orElse(null);
        if (target != null) {
          targets.add(target);
        }
      } else if (target != null) {
        target.enter(visited, attributes);
      }
      note(Found.of(visited, attributes));
      return stopped.getAsBoolean() ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      Found<Path> found = Found.of(file, attributes);
      if (directory.root().equals(file.getParent())) {
        leaveTree();
      }
      if (target != null) {
        target.add(file, attributes);
      } else if (directory.isQuarantined(file)) {
        quarantined.add(new FileGroup(List.of(file), found.modified()));
      }
      if (directory.isTemporary(file)) {
        temporaryFiles++;
      }
      note(found);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) {
      if (directory.root().equals(visited.getParent())) {
        leaveTree();
      }
      return FileVisitResult.CONTINUE;
    }

    private void leaveTree() {
      counts = true;
      target = null;
    }

    private void note(Found<Path> found) {
      if (directory.mayBeLeft(found.what(), target != null)) {
        leftovers.add(found);
      }
      if (counts && !kept.contains(found.what())) {
        bytes += found.bytes();
        if (target != null) {
          target.bytes += found.bytes();
        }
      }
    }
  }
}
