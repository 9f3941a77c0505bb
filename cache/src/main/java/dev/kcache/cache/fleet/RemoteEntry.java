// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.SignatureText;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryBytes;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A verified entry with all that its record names, and the one value that it is in a remote: a ZIP,
 * whose first entry is the record. Its signatures, if it has any, are the second.
 *
 * @param stored the record and its code object
 * @param lists the lists that the record names
 * @param text the record as it came, with its signatures
 */
public record RemoteEntry(StoredEntry stored, List<DependencyList> lists, SignedRecord text) {
  /** The most bytes of a value, and of a code object. */
  static final int MAX_BYTES = 64 << 20;

  /** A code object of more bytes is a value of its own, which other entries share. */
  static final int MAX_INSIDE = 256 << 10;

  private static final String RECORD = "record";
  private static final String SIGNATURE = "signature";

  /** The earliest time that a ZIP can hold: one entry gives the same bytes whenever it is sent. */
  private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  /** Returns the list of the files that the compile read. */
  public DependencyList dependencies() {
    Digest wanted = stored.entry().dependencies();
    return lists.stream()
        .filter(list -> list.digest().equals(wanted))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("an entry without its list"));
  }

  /**
   * Returns an entry as a value, without the code object if that is a value of its own.
   *
   * @param text the record's bytes, with their signatures
   * @param lists those that the record names
   * @throws IOException if it would be longer than any reader takes
   */
  public static byte[] encode(
      SignedRecord text, CacheEntry record, CodeObject code, List<DependencyList> lists)
      throws IOException {
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(value)) {
      write(zip, RECORD, text.text());
      if (text.signature().length > 0) {
        write(zip, SIGNATURE, text.signature());
      }
      Set<Digest> written = new HashSet<>();
      for (DependencyList list : lists) {
        if (written.add(list.digest())) {
          write(zip, nameOfList(list.digest()), EntryBytes.encode(list));
        }
      }
      if (!isApart(record)) {
        write(zip, nameOfCode(record), bytes(code));
      }
    }
    if (value.size() > MAX_BYTES || code.size() > MAX_BYTES) {
      throw new IOException("more than the " + MAX_BYTES + " bytes that a value may have");
    }
    return value.toByteArray();
  }

  public static byte[] bytes(CodeObject code) {
    byte[] image = new byte[code.size()];
    code.bytes().duplicate().get(image);
    return image;
  }

  /** Returns whether the code object is a value of its own. */
  public static boolean isApart(CacheEntry record) {
    return record.size() > MAX_INSIDE;
  }

  /** Returns the name of the value that is a code object. */
  public static String nameOfCodeApart(CacheEntry record) {
    return "code/" + record.codeObject();
  }

  /** Reads a code object that is a value of its own; empty if there is none to be had. */
  public interface CodeApart<E extends Exception> {
    Optional<byte[]> read(String name, int maxBytes) throws E;
  }

  private static void write(ZipOutputStream zip, String name, byte[] content) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(NO_TIME);
    zip.putNextEntry(entry);
    zip.write(content);
    zip.closeEntry();
  }

  private static String nameOfList(Digest list) {
    return list + ".deps";
  }

  private static String nameOfCode(CacheEntry record) {
    return record.codeObject() + ".co";
  }

  /**
   * Returns the entry in a value; empty if another version of kcache wrote it, or its code object
   * can't be had.
   *
   * @param known the lists of other entries
   * @throws DamagedEntryException if it is no sound entry of that request and target
   */
  public static <E extends Exception> Optional<RemoteEntry> decode(
      byte[] value, Digest request, TargetId target, KnownLists known, CodeApart<E> apart)
      throws DamagedEntryException, E {
    if (value.length > MAX_BYTES) {
      throw tooLong(MAX_BYTES);
    }
    Optional<Contents> contents = contents(value, request, target, known);
    if (contents.isEmpty()) {
      return Optional.empty();
    }
    CacheEntry record = contents.get().record();
    Optional<byte[]> image =
        isApart(record)
            ? apart.read(nameOfCodeApart(record), (int) record.size())
            : Optional.ofNullable(contents.get().image());
    return image.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new RemoteEntry(
                EntryBytes.complete(record, image.get()),
                contents.get().lists(),
                contents.get().text()));
  }

  /** What a value holds; the image is null if it is a value of its own. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  private record Contents(
      CacheEntry record, List<DependencyList> lists, SignedRecord text, byte @Nullable [] image) {}

  private static Optional<Contents> contents(
      byte[] value, Digest request, TargetId target, KnownLists known)
      throws DamagedEntryException {
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(value))) {
      return contents(zip, request, target, known);
    } catch (IOException | RuntimeException e) {
      // The JDK's reader throws both at bytes that are no ZIP.
      throw new DamagedEntryException("no sound ZIP: " + e.getMessage(), e);
    }
  }

  private static Optional<Contents> contents(
      ZipInputStream zip, Digest request, TargetId target, KnownLists known)
      throws IOException, DamagedEntryException {
    @Nullable ZipEntry first = zip.getNextEntry();
    if (first == null || !first.getName().equals(RECORD)) {
      throw new DamagedEntryException("no ZIP that begins with a record");
    }
    byte[] text = read(zip, EntryBytes.MAX_RECORD);
    Optional<CacheEntry> parsed = EntryBytes.record(text, request, target);
    if (parsed.isEmpty()) {
      return Optional.empty();
    }
    CacheEntry record = parsed.get();
    if (record.size() > MAX_BYTES) {
      throw tooLong(MAX_BYTES);
    }
    Map<String, Integer> limits = new HashMap<>();
    record.lists().forEach(list -> limits.put(nameOfList(list), EntryBytes.MAX_LIST));
    if (!isApart(record)) {
      limits.put(nameOfCode(record), (int) record.size());
    }
    @Nullable ZipEntry second = zip.getNextEntry();
    byte[] signature = {};
    if (second != null && second.getName().equals(SIGNATURE)) {
      signature = read(zip, SignatureText.MAX_BYTES);
      second = zip.getNextEntry();
    }
    Map<String, byte[]> contents = contents(zip, second, limits);
    List<DependencyList> lists = new ArrayList<>();
    for (Digest list : record.lists()) {
      lists.add(known.list(contents.getOrDefault(nameOfList(list), new byte[0]), list));
    }
    return Optional.of(
        new Contents(
            record,
            List.copyOf(lists),
            new SignedRecord(text, signature),
            contents.get(nameOfCode(record))));
  }

  /** Returns the other entries: each of {@code limits} once, and none beside. */
  private static Map<String, byte[]> contents(
      ZipInputStream zip, @Nullable ZipEntry first, Map<String, Integer> limits)
      throws IOException, DamagedEntryException {
    Map<String, byte[]> contents = new HashMap<>();
    for (ZipEntry next = first; next != null; next = zip.getNextEntry()) {
      Integer limit = limits.get(next.getName());
      if (limit == null) {
        throw new DamagedEntryException(next.getName() + ", which its record does not name");
      }
      if (contents.put(next.getName(), read(zip, limit)) != null) {
        throw new DamagedEntryException(next.getName() + " twice");
      }
    }
    if (contents.size() < limits.size()) {
      throw new DamagedEntryException("a record without all that it names");
    }
    return contents;
  }

  private static byte[] read(ZipInputStream zip, int limit)
      throws IOException, DamagedEntryException {
    byte[] content = zip.readNBytes(limit + 1);
    if (content.length > limit) {
      throw tooLong(limit);
    }
    return content;
  }

  private static DamagedEntryException tooLong(int limit) {
    return new DamagedEntryException("more than the " + limit + " bytes that it may have");
  }
}
