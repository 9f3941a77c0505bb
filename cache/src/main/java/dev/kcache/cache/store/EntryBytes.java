// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.MalformedCodeObjectException;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.util.Optional;

/**
 * The bytes of entries that lie elsewhere than in a cache directory, checked as strictly as those
 * in one.
 */
public final class EntryBytes {
  /** The most bytes that a record may have. */
  public static final int MAX_RECORD = EntryCodec.MAX_BYTES;

  /** The most bytes that a list of files may have. */
  public static final int MAX_LIST = DependencyList.MAX_BYTES;

  private EntryBytes() {}

  /**
   * Returns a record's text form.
   *
   * @throws IOException if it would be longer than {@link #MAX_RECORD}
   */
  public static byte[] encode(CacheEntry entry) throws IOException {
    return EntryCodec.encode(entry);
  }

  /** Returns a list's text form. */
  public static byte[] encode(DependencyList list) {
    return list.bytes().clone();
  }

  /**
   * Returns the list in {@code bytes}.
   *
   * @throws DamagedEntryException if it is no list, or its SHA-256 is not {@code digest}
   */
  public static DependencyList list(byte[] bytes, Digest digest) throws DamagedEntryException {
    return DependencyList.parse(bytes, digest);
  }

  /**
   * Returns the record in {@code bytes}; empty if it is of another schema version.
   *
   * @throws DamagedEntryException if it is no record, or one of another request or target
   */
  public static Optional<CacheEntry> record(byte[] bytes, Digest request, TargetId target)
      throws DamagedEntryException {
    Optional<CacheEntry> entry = EntryParser.parse(bytes);
    if (entry.isPresent()
        && !(entry.get().request().equals(request) && entry.get().target().equals(target))) {
      throw new DamagedEntryException("a record of something else than its name says");
    }
    return entry;
  }

  /**
   * Returns the entry of a record and the bytes of its code object.
   *
   * @throws DamagedEntryException if they are not what the record describes, or no sound image
   */
  public static StoredEntry complete(CacheEntry record, byte[] image) throws DamagedEntryException {
    CodeObject code;
    try {
      code = CodeObject.wrap(image);
    } catch (MalformedCodeObjectException e) {
      throw new DamagedEntryException("no sound code object", e);
    }
    if (!code.digest().equals(record.codeObject())) {
      throw new DamagedEntryException("bytes whose SHA-256 is not the file's name");
    }
    if (!StoredEntry.describes(record, code)) {
      throw new DamagedEntryException("a code object that its record misdescribes");
    }
    return new StoredEntry(record, code);
  }
}
