// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.store.CacheDirectory.RecordFile;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.MalformedCodeObjectException;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads entries, believing nothing: each record and code object is verified on each read.
 *
 * <p>Safe for use by any number of threads, also ones that are interrupted: it reads through
 * streams, which an interrupt does not close.
 */
final class EntryReader {
  /**
   * A file is read this far even if its record says that it is shorter, to find out which of the
   * two is damaged; a file that is longer than both is not worth the memory.
   */
  private static final long ALWAYS_READ_BYTES = 64 << 20;

  private final CacheDirectory directory;
  private final Quarantine quarantine;

  EntryReader(CacheDirectory directory, Quarantine quarantine) {
    this.directory = directory;
    this.quarantine = quarantine;
  }

  /** Returns the record of that name; a damaged one is moved aside. */
  Optional<CacheEntry> record(RecordFile name) {
    return isTrusted(name)
        ? quarantine.read(name.file(), file -> parse(file, name))
        : Optional.empty();
  }

  /** Returns the record of that name; a damaged one is left alone. */
  Optional<CacheEntry> peek(RecordFile name) {
    try {
      return isTrusted(name) ? parse(name.file(), name) : Optional.empty();
    } catch (DamagedEntryException e) {
      return Optional.empty();
    }
  }

  /** Returns the record with its code object; what is damaged of the two is moved aside. */
  Optional<StoredEntry> complete(CacheEntry entry) {
    Request request = Request.of(entry);
    Path image = directory.codeObject(request, entry.codeObject());
    Optional<CodeObject> codeObject =
        quarantine.read(image, file -> codeObject(file, entry.codeObject(), entry.size()));
    if (codeObject.isPresent() && !describes(entry, codeObject.get())) {
      RecordFile name = directory.record(request, entry.toolchain());
      quarantine.read(name.file(), file -> otherThan(entry, parse(file, name)));
      return Optional.empty();
    }
    return codeObject.map(code -> new StoredEntry(entry, code));
  }

  private boolean isTrusted(RecordFile name) {
    Path requestDirectory = directory.requestDirectory(name.request());
    return Standing.distrust(requestDirectory).isEmpty()
        && Standing.distrust(
                directory.targetDirectory(name.request().target(), name.request().label()))
            .isEmpty();
  }

  private static Optional<CacheEntry> parse(Path file, RecordFile name)
      throws DamagedEntryException {
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

  private static Optional<CodeObject> codeObject(Path file, Digest digest, long expectedSize)
      throws DamagedEntryException {
    Optional<byte[]> bytes = read(file, (int) Math.max(expectedSize, ALWAYS_READ_BYTES));
    if (bytes.isEmpty()) {
      return Optional.empty();
    }
    if (!Digest.of(bytes.get()).equals(digest)) {
      throw new DamagedEntryException("bytes whose SHA-256 is not the file's name");
    }
    try {
      return Optional.of(CodeObject.parse(bytes.get()));
    } catch (MalformedCodeObjectException e) {
      throw new DamagedEntryException("no sound code object", e);
    }
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
  private static Optional<byte[]> read(Path file, int limit) throws DamagedEntryException {
    try {
      try {
        return Optional.of(readOnce(file, limit));
      } catch (FileNotFoundException e) {
        throw e;
      } catch (IOException e) {
        // Such as ESTALE: on NFS, a file that was replaced while it was open.
        return Optional.of(readOnce(file, limit));
      }
    } catch (IOException e) {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file)) {
        throw new DamagedEntryException("not a regular file", e);
      }
      return Optional.empty();
    }
  }

  private static byte[] readOnce(Path file, int limit) throws IOException {
    try (InputStream in = new FileInputStream(file.toFile())) {
      return in.readNBytes(limit + 1);
    }
  }
}
