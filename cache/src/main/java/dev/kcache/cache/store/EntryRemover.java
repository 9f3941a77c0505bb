// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.stream.Collectors.toSet;

import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DirectoryLayout.ContentFile;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.store.Inventory.Found;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes entries under the feet of any number of readers and writers.
 *
 * <p>Records go first: from then on nobody begins to read what they name. After a moment, in which
 * those who have just read a record get its code object, the code objects and lists go that no
 * record names any more. One that is young stays, since its writer may be about to write the record
 * for it; one that is no younger than a record that named it is taken for that record's. So a
 * writer leaves a record without its code object or list, which is a miss, if it relies on an old
 * list at that very moment, or if it has the same content as a record that is written or used after
 * that content and removed before the writer's own record is there. Whoever is killed in between
 * leaves what the next removal takes.
 *
 * <p>Safe for use by any number of threads and processes at once.
 */
final class EntryRemover {
  /** Far above the time between a code object and its record. */
  static final Duration GRACE = Duration.ofMinutes(10);

  /** Far above the time between reading a record and opening its code object. */
  private static final long PAUSE_MILLIS = 100;

  /** Digests are texts in whatever version a record is written. */
  private static final Pattern DIGEST = Pattern.compile("\"([0-9a-f]{64})\"");

  private final DirectoryLayout directory;
  private final FileOperations files;
  private final FileClock clock;
  private final Pause pause;

  /** Waits for those who are about to open a code object. */
  @FunctionalInterface
  interface Pause {
    void await() throws InterruptedException;
  }

  EntryRemover(DirectoryLayout directory, FileOperations files, Access access) {
    this(directory, files, access, () -> Thread.sleep(PAUSE_MILLIS));
  }

  EntryRemover(DirectoryLayout directory, FileOperations files, Access access, Pause pause) {
    this.directory = directory;
    this.files = files;
    this.pause = pause;
    clock = new FileClock(directory, files, access);
  }

  /**
   * Removes records, and then what no record names any more in the directories that they were in.
   * What cannot be removed stays, and does not hold up the rest.
   *
   * @param records with the time of each: one that is newer by now stays
   * @param more other directories, in which nothing may have been named before
   * @param stopped whether to leave the other records and directories; what the removed records
   *     named is removed all the same
   * @param fileRemover removes the files, or only counts them
   */
  void remove(
      Map<RecordFile, Instant> records,
      Collection<Path> more,
      BooleanSupplier stopped,
      FileRemover fileRemover) {
    Map<Path, Map<String, Instant>> named = new ConcurrentHashMap<>();
    files.forEach(
        records.entrySet(),
        each -> {
          if (!stopped.getAsBoolean()) {
            remove(each.getKey(), each.getValue(), named, fileRemover);
          }
        });
    if (!stopped.getAsBoolean()) {
      more.forEach(target -> named.computeIfAbsent(target, unused -> new ConcurrentHashMap<>()));
    }
    if (!named.isEmpty() && (fileRemover.isPlanned() || paused())) {
      named.forEach((target, names) -> removeUnreferenced(target, names, fileRemover));
    }
  }

  private void remove(
      RecordFile record,
      Instant lastUse,
      Map<Path, Map<String, Instant>> named,
      FileRemover fileRemover) {
    try {
      Optional<BasicFileAttributes> found = look(record.file());
      Instant modified = found.map(EntryRemover::modified).orElse(Instant.MIN);
      if (modified.isAfter(lastUse)) {
        return;
      }
      Request request = record.request();
      Path target = directory.targetDirectory(request.target(), request.label());
      Map<String, Instant> names =
          named.computeIfAbsent(target, unused -> new ConcurrentHashMap<>());
      if (found.isPresent()) {
        noteNames(record.file(), modified, names);
        fileRemover.removeRecord(record.file(), found.get().size());
        removeSignature(record.file(), modified, fileRemover);
      }
      fileRemover.removeEmpty(directory.requestDirectory(request));
    } catch (IOException e) {
      // It may have been used, so it stays.
    }
  }

  /**
   * Younger signatures belong to a record that is about to be written. While there is a record they
   * stay: without them, a copy would pass for an own compile.
   */
  private static void removeSignature(Path record, Instant modified, FileRemover fileRemover)
      throws IOException {
    if (!fileRemover.isPlanned() && look(record).isPresent()) {
      return;
    }
    Path file = DirectoryLayout.signature(record);
    look(file)
        .filter(found -> !modified(found).isAfter(modified))
        .ifPresent(found -> fileRemover.remove(file, found.size()));
  }

  /**
   * Removes signatures without a record, unless they were written again since, and their folder.
   */
  static void removeOrphan(Found<Path> orphan, FileRemover fileRemover) {
    fileRemover.remove(new FileGroup(List.of(orphan.what()), orphan.modified()));
    Path folder = orphan.what().getParent();
    if (folder != null) {
      fileRemover.removeEmpty(folder);
    }
  }

  /** Removes the code objects and lists that no record names and that are older than the grace. */
  Removed removeUnreferenced() {
    FileRemover fileRemover = fileRemover();
    for (Path target : directory.listing().targetDirectories()) {
      removeUnreferenced(target, Map.of(), fileRemover);
    }
    return fileRemover.result();
  }

  FileRemover fileRemover() {
    return FileRemover.by(files);
  }

  /**
   * Returns the code objects and lists of a target and label that are older than {@code bound} and
   * that no record names.
   *
   * @throws IOException if a record cannot be read: then it is not known what it names
   */
  List<ContentFile> unreferenced(Path target, Instant bound) throws IOException {
    return unreferenced(target, bound, Map.of(), gone -> false);
  }

  private List<ContentFile> unreferenced(
      Path target, Instant bound, Map<String, Instant> finished, Predicate<Path> gone)
      throws IOException {
    List<ContentFile> candidates = new ArrayList<>();
    for (ContentFile content : directory.listing().contents(target)) {
      if (withoutWriter(content, bound, finished).isPresent()) {
        candidates.add(content);
      }
    }
    if (!candidates.isEmpty()) {
      // Only now: what was old before a record named it is in that record by now.
      Set<String> named = named(target, gone);
      candidates.removeIf(content -> named.contains(content.digest().toString()));
    }
    return candidates;
  }

  /** Returns the attributes of a file, unless it has gone or a writer may be about to use it. */
  private static Optional<BasicFileAttributes> withoutWriter(
      ContentFile content, Instant bound, Map<String, Instant> finished) throws IOException {
    Instant since = finished.getOrDefault(content.digest().toString(), Instant.MIN);
    return look(content.file())
        .filter(found -> modified(found).isBefore(bound) || !modified(found).isAfter(since));
  }

  private void removeUnreferenced(
      Path target, Map<String, Instant> finished, FileRemover fileRemover) {
    try {
      Instant bound = clock.now().minus(GRACE);
      files.forEach(
          unreferenced(target, bound, finished, fileRemover::isPlanned),
          content -> removeUnreferenced(content, bound, finished, fileRemover));
      fileRemover.removeEmpty(target);
    } catch (IOException e) {
      fileRemover.fail(target, e);
    }
  }

  private static void removeUnreferenced(
      ContentFile content, Instant bound, Map<String, Instant> finished, FileRemover fileRemover) {
    try {
      // To read all records took a while, in which somebody may have written it again.
      withoutWriter(content, bound, finished)
          .ifPresent(found -> fileRemover.remove(content.file(), found.size()));
    } catch (IOException e) {
      fileRemover.fail(content.file(), e);
    }
  }

  private void noteNames(Path record, Instant written, Map<String, Instant> finished) {
    try {
      for (String name : digests(files.read(record, EntryCodec.MAX_BYTES))) {
        finished.merge(name, written, (one, other) -> one.isAfter(other) ? one : other);
      }
    } catch (IOException e) {
      // What it names stays for as long as the grace.
    }
  }

  private Set<String> named(Path target, Predicate<Path> gone) throws IOException {
    List<RecordFile> records = directory.listing().allRecords(target);
    records.removeIf(name -> gone.test(name.file()));
    Set<String> named = ConcurrentHashMap.newKeySet();
    readAll(records, name -> name, (name, content) -> named.addAll(content.names()));
    return named;
  }

  /**
   * What is in a record, even a damaged one or one of another version.
   *
   * @param names every digest in it
   * @param outdated whether it is of an older schema, so that nobody looks for it any more
   */
  record Content(Set<String> names, boolean outdated) {}

  /**
   * Calls {@code action} with what is in each record that has not gone, on several threads at once.
   *
   * @throws IOException if one cannot be read
   */
  <T> void readAll(
      Collection<T> all, Function<? super T, RecordFile> record, BiConsumer<T, Content> action)
      throws IOException {
    try {
      files.forEach(
          all,
          each -> {
            try {
              read(record.apply(each).file()).ifPresent(content -> action.accept(each, content));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Returns what is in a record; nothing if it has gone.
   *
   * @throws IOException if it cannot be read
   */
  private Optional<Content> read(Path record) throws IOException {
    byte[] bytes;
    try {
      bytes = files.read(record, EntryCodec.MAX_BYTES);
    } catch (IOException e) {
      if (Files.isRegularFile(record, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
      return Optional.empty();
    }
    return Optional.of(new Content(digests(bytes), EntryParser.isOutdated(bytes)));
  }

  private static Set<String> digests(byte[] record) {
    Matcher digests = DIGEST.matcher(new String(record, ISO_8859_1));
    return digests.results().map(found -> found.group(1)).collect(toSet());
  }

  /** Returns nothing if the file has gone meanwhile. */
  static Optional<BasicFileAttributes> look(Path file) throws IOException {
    try {
      return Optional.of(
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static Instant modified(BasicFileAttributes found) {
    return found.lastModifiedTime().toInstant();
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
}
