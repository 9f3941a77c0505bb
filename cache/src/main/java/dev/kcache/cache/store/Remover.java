// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.cache.store.CacheDirectory.ContentFile;
import dev.kcache.cache.store.CacheDirectory.RecordFile;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes entries under the feet of any number of readers and writers.
 *
 * <p>Records go first: from then on nobody begins to read what they name. After a moment, in which
 * those who have just read a record get its code object, the code objects and lists go that no
 * record names any more. One that is young stays, since its writer may be about to write the record
 * for it; one that is no younger than a record that named it has no such writer. A writer that
 * relies on an old list at that very moment leaves a record without one, which is a miss. Whoever
 * is killed in between leaves what the next removal takes.
 *
 * <p>Safe for use by any number of threads and processes at once.
 */
final class Remover {
  /** Far above the time between a code object and its record. */
  static final Duration GRACE = Duration.ofMinutes(10);

  /** Far above the time between reading a record and opening its code object. */
  private static final long PAUSE_MILLIS = 100;

  /** Digests are texts in whatever version a record is written. */
  private static final Pattern DIGEST = Pattern.compile("\"([0-9a-f]{64})\"");

  private final CacheDirectory directory;
  private final FileOperations files;
  private final FileClock clock;
  private final Pause pause;

  /** Waits for those who are about to open a code object. */
  @FunctionalInterface
  interface Pause {
    void await() throws InterruptedException;
  }

  Remover(CacheDirectory directory, FileOperations files, Access access) {
    this(directory, files, access, () -> Thread.sleep(PAUSE_MILLIS));
  }

  Remover(CacheDirectory directory, FileOperations files, Access access, Pause pause) {
    this.directory = directory;
    this.files = files;
    this.pause = pause;
    clock = new FileClock(directory, files, access);
  }

  /**
   * What was removed.
   *
   * @param records how many records
   * @param bytes what that frees on the disk
   * @param failure one line about the first file that could not be removed, if one could not
   */
  record Removed(long records, long bytes, Optional<String> failure) {}

  /**
   * Removes records, and then what no record names any more in the directories that they were in.
   * What cannot be removed stays, and does not hold up the rest.
   */
  Removed remove(Collection<RecordFile> records) {
    return remove(records, any -> true, List.of());
  }

  /**
   * As {@link #remove(Collection)}.
   *
   * @param still whether a record is to go after all, asked right before it would
   * @param more other directories, in which nothing may have been named before
   */
  Removed remove(
      Collection<RecordFile> records, Predicate<RecordFile> still, Collection<Path> more) {
    Map<Path, Map<String, Instant>> named = new HashMap<>();
    more.forEach(target -> named.put(target, new HashMap<>()));
    Tally tally = new Tally();
    for (RecordFile name : records) {
      if (!still.test(name)) {
        continue;
      }
      Path target = directory.targetDirectory(name.request().target(), name.request().label());
      noteNames(name.file(), named.computeIfAbsent(target, unused -> new HashMap<>()));
      tally.records += tally.remove(name.file()) ? 1 : 0;
      tally.removeEmpty(directory.requestDirectory(name.request()));
    }
    if (paused()) {
      named.forEach((target, names) -> removeUnreferenced(target, names, tally));
    }
    return tally.removed();
  }

  /** Removes the code objects and lists that no record names and that are older than the grace. */
  Removed removeUnreferenced() {
    Tally tally = new Tally();
    for (Path target : directory.targetDirectories()) {
      removeUnreferenced(target, Map.of(), tally);
    }
    return tally.removed();
  }

  /**
   * Returns the code objects and lists of a target and label that are older than {@code bound} and
   * that no record names.
   *
   * @throws IOException if a record cannot be read: then it is not known what it names
   */
  List<ContentFile> unreferenced(Path target, Instant bound) throws IOException {
    return unreferenced(target, bound, Map.of());
  }

  private List<ContentFile> unreferenced(Path target, Instant bound, Map<String, Instant> finished)
      throws IOException {
    List<ContentFile> candidates = new ArrayList<>();
    for (ContentFile content : directory.contents(target)) {
      if (hasNoWriter(content, bound, finished)) {
        candidates.add(content);
      }
    }
    if (!candidates.isEmpty()) {
      // Only now: what was old before a record named it is in that record by now.
      Set<String> named = named(target);
      candidates.removeIf(content -> named.contains(content.digest().toString()));
    }
    return candidates;
  }

  private static boolean hasNoWriter(
      ContentFile content, Instant bound, Map<String, Instant> finished) throws IOException {
    Optional<Instant> modified = modified(content.file());
    Instant since = finished.getOrDefault(content.digest().toString(), Instant.MIN);
    return modified.isPresent()
        && (modified.get().isBefore(bound) || !modified.get().isAfter(since));
  }

  private void removeUnreferenced(Path target, Map<String, Instant> finished, Tally tally) {
    try {
      Instant bound = clock.now().minus(GRACE);
      for (ContentFile content : unreferenced(target, bound, finished)) {
        // To read all records took a while, in which somebody may have written it again.
        if (hasNoWriter(content, bound, finished)) {
          tally.remove(content.file());
        }
      }
      tally.removeEmpty(target);
    } catch (IOException e) {
      tally.fail(target, e);
    }
  }

  private void noteNames(Path record, Map<String, Instant> finished) {
    try {
      Optional<Instant> written = modified(record);
      if (written.isPresent()) {
        for (String name : names(record)) {
          finished.merge(name, written.get(), (one, other) -> one.isAfter(other) ? one : other);
        }
      }
    } catch (IOException e) {
      // What it names stays for as long as the grace.
    }
  }

  private Set<String> named(Path target) throws IOException {
    Set<String> named = new HashSet<>();
    for (RecordFile name : directory.allRecords(target)) {
      named.addAll(names(name.file()));
    }
    return named;
  }

  /**
   * Returns every digest in a record, even a damaged one or one of a later version; none if it has
   * gone.
   *
   * @throws IOException if it cannot be read
   */
  Set<String> names(Path record) throws IOException {
    byte[] bytes;
    try {
      bytes = files.read(record, EntryCodec.USUAL_BYTES, EntryCodec.MAX_BYTES);
    } catch (IOException e) {
      if (Files.isRegularFile(record, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
      return Set.of();
    }
    Set<String> names = new HashSet<>();
    Matcher digests = DIGEST.matcher(new String(bytes, ISO_8859_1));
    while (digests.find()) {
      names.add(digests.group(1));
    }
    return names;
  }

  /** Returns nothing if the file has gone meanwhile. */
  private static Optional<Instant> modified(Path file) throws IOException {
    try {
      return Optional.of(attributes(file).lastModifiedTime().toInstant());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static BasicFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns false if interrupted. */
  private boolean paused() {
    try {
      pause.await();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Removes files one by one, and counts. */
  private final class Tally {
    private long records;
    private long bytes;
    private Optional<String> failure = Optional.empty();

    boolean remove(Path file) {
      try {
        long size = attributes(file).size();
        files.delete(file);
        bytes += DiskSpace.of(size);
        return true;
      } catch (NoSuchFileException e) {
        return false;
      } catch (IOException e) {
        fail(file, e);
        return false;
      }
    }

    void removeEmpty(Path directory) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        return;
      }
      try {
        files.delete(directory);
        bytes += DiskSpace.DIRECTORY;
      } catch (DirectoryNotEmptyException e) {
        return;
      } catch (IOException e) {
        fail(directory, e);
      }
    }

    void fail(Path file, IOException e) {
      if (failure.isEmpty()) {
        failure = Optional.of("'" + file + "' cannot be removed (" + e + ")");
      }
    }

    Removed removed() {
      return new Removed(records, bytes, failure);
    }
  }
}
