// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.store.CacheDirectory.RecordFile;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.MalformedCodeObjectException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds and reads entries, believing nothing: each record, code object and list of dependencies is
 * verified on each read, and only what others cannot have written is read at all.
 *
 * <p>Safe for use by any number of threads, also ones that are interrupted.
 */
final class EntryReader {

  /**
   * A file is read this far even if its record says that it is shorter, to find out which of the
   * two is damaged; a file that is longer than both is not worth the memory.
   */
  private static final long ALWAYS_READ_BYTES = 64 << 20;

  private final CacheDirectory directory;
  private final FileOperations files;
  private final CheckedReader checked;

  /** Returns a reader that leaves what it finds damaged to {@code checked}. */
  EntryReader(CacheDirectory directory, FileOperations files, CheckedReader checked) {
    this.directory = directory;
    this.files = files;
    this.checked = checked;
  }

  /** As {@link EntryDirectory#find}. */
  Optional<StoredEntry> find(Request request, Digest toolchain, Predicate<CacheEntry> current) {
    return record(directory.record(request, toolchain)).filter(current).flatMap(this::complete);
  }

  /** As {@link EntryDirectory#findNewest}. */
  Optional<StoredEntry> findNewest(Request request, Predicate<CacheEntry> acceptable) {
    return directory.records(request).stream()
        .flatMap(name -> record(name).stream())
        .sorted(newestFirst())
        .filter(acceptable)
        .flatMap(entry -> complete(entry).stream())
        .findFirst();
  }

  /** As {@link EntryDirectory#dependencies}. */
  Optional<DependencyList> dependencies(CacheEntry entry) {
    Digest digest = entry.dependencies();
    return checked.read(
        directory.dependencies(Request.of(entry), digest), file -> dependencies(file, digest));
  }

  /** As {@link EntryDirectory#entries}; what is damaged stays where it is. */
  List<CacheEntry> entries() {
    return directory.records().stream()
        .flatMap(name -> peek(name).stream())
        .sorted(listing())
        .toList();
  }

  private Optional<CacheEntry> record(RecordFile name) {
    return isTrusted(name)
        ? checked.read(name.file(), file -> parse(file, name))
        : Optional.empty();
  }

  private Optional<CacheEntry> peek(RecordFile name) {
    try {
      return isTrusted(name) ? parse(name.file(), name) : Optional.empty();
    } catch (DamagedEntryException e) {
      return Optional.empty();
    }
  }

  private Optional<StoredEntry> complete(CacheEntry entry) {
    Request request = Request.of(entry);
    Path image = directory.codeObject(request, entry.codeObject());
    Optional<CodeObject> codeObject =
        checked.read(image, file -> codeObject(file, entry.codeObject(), entry.size()));
    if (codeObject.isPresent() && !describes(entry, codeObject.get())) {
      RecordFile name = directory.record(request, entry.toolchain());
      checked.read(name.file(), file -> otherThan(entry, parse(file, name)));
      return Optional.empty();
    }
    return codeObject.map(code -> new StoredEntry(entry, code));
  }

  private static Comparator<CacheEntry> listing() {
    return Comparator.comparing((CacheEntry entry) -> entry.target().toString())
        .thenComparing(CacheEntry::label)
        .thenComparing(CacheEntry::source)
        .thenComparing(CacheEntry::request)
        .thenComparing(CacheEntry::toolchain);
  }

  private static Comparator<CacheEntry> newestFirst() {
    return Comparator.comparing(CacheEntry::created)
        .reversed()
        .thenComparing(CacheEntry::toolchain);
  }

  /** Code object and dependencies need no trust: the record has their digests. */
  private boolean isTrusted(RecordFile name) {
    Request request = name.request();
    return isTrusted(directory.targetDirectory(request.target(), request.label()))
        && isTrusted(directory.requestDirectory(request))
        && isTrusted(name.file());
  }

  private static boolean isTrusted(Path path) {
    Optional<String> distrust = Standing.distrust(path);
    if (distrust.isPresent()) {
      log().log(Level.DEBUG, () -> "not using " + path + ": it " + distrust.get());
    }
    return distrust.isEmpty();
  }

  private Optional<CacheEntry> parse(Path file, RecordFile name) throws DamagedEntryException {
    Optional<byte[]> bytes = read(file, EntryCodec.MAX_BYTES);
    Optional<CacheEntry> entry =
        bytes.isEmpty() ? Optional.empty() : EntryParser.parse(bytes.get());
    if (entry.isPresent()
        && !(Request.of(entry.get()).equals(name.request())
            && entry.get().toolchain().equals(name.toolchain()))) {
      throw new DamagedEntryException("a record of something else than its name says");
    }
    return entry;
  }

  private Optional<DependencyList> dependencies(Path file, Digest digest)
      throws DamagedEntryException {
    Optional<byte[]> bytes = read(file, DependencyList.MAX_BYTES);
    return bytes.isEmpty()
        ? Optional.empty()
        : Optional.of(DependencyList.parse(bytes.get(), digest));
  }

  private Optional<CodeObject> codeObject(Path file, Digest digest, long expectedSize)
      throws DamagedEntryException {
    Optional<byte[]> bytes = read(file, (int) Math.max(expectedSize, ALWAYS_READ_BYTES));
    if (bytes.isEmpty()) {
      return Optional.empty();
    }
    CodeObject code;
    try {
      code = CodeObject.wrap(bytes.get());
    } catch (MalformedCodeObjectException e) {
      throw new DamagedEntryException("no sound code object", e);
    }
    if (!code.digest().equals(digest)) {
      throw new DamagedEntryException("bytes whose SHA-256 is not the file's name");
    }
    return Optional.of(code);
  }

  /** Returns whether what a record says of its code object is so. */
  static boolean describes(CacheEntry entry, CodeObject code) {
    return code.digest().equals(entry.codeObject())
        && code.size() == entry.size()
        && code.abiVersion() == entry.codeObjectVersion()
        && code.target().equals(entry.target());
  }

  private static Optional<CacheEntry> otherThan(CacheEntry liar, Optional<CacheEntry> found)
      throws DamagedEntryException {
    if (found.equals(Optional.of(liar))) {
      throw new DamagedEntryException("a record that misdescribes its code object");
    }
    return found;
  }

  /** Returns the content, cut to one byte more than {@code limit}; nothing if it is not there. */
  private Optional<byte[]> read(Path file, int limit) throws DamagedEntryException {
    try {
      try {
        return Optional.of(files.read(file, limit + 1));
      } catch (FileNotFoundException e) {
        throw e;
      } catch (IOException e) {
        // Such as ESTALE: on NFS, a file that was replaced while it was open.
        return Optional.of(files.read(file, limit + 1));
      }
    } catch (IOException e) {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file)) {
        throw new DamagedEntryException("not a regular file", e);
      }
      return Optional.empty();
    }
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(EntryReader.class.getName());
  }
}
