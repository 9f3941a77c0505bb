// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.Revocation;
import dev.kcache.cache.signing.SignatureText;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.trust.Trust;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds and reads entries. Verifies each record, code object and list of dependencies on each read,
 * and reads only files that no other user can have written.
 *
 * <p>The modification time of a record is the last use of its entry, to an hour: a hit sets it if
 * it is older than that, so most hits write nothing. Hits in memory do not count. The record itself
 * has the time of creation.
 *
 * <p>Safe for use by any number of threads, also ones that are interrupted.
 */
final class EntryReader implements EntrySource {

  /** Larger files are digested before they are read, so that damaged ones cost no memory. */
  private static final long LARGE_BYTES = 4 << 20;

  /** A code object's bytes are held in one array. */
  static final int MAX_CODE_OBJECT_BYTES = 1 << 30;

  /** Reaches past the first field of a record. */
  private static final int BEGINNING_BYTES = 128;

  /** The precision of the last use, far below any sensible age limit. */
  static final long USE_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final DirectoryLayout directory;
  private final FileOperations files;
  private final PlaceRule rule;
  private final @Nullable Quarantine quarantine;
  private final boolean notesUses;
  private final Trust trust;

  /**
   * Creates a reader.
   *
   * @param rule which of the records may serve
   * @param quarantine takes damaged files; null to leave them in place
   * @param notesUses whether to record the last use, where that is possible
   */
  EntryReader(
      DirectoryLayout directory,
      Trust trust,
      FileOperations files,
      PlaceRule rule,
      @Nullable Quarantine quarantine,
      boolean notesUses) {
    this.directory = directory;
    this.trust = trust;
    this.files = files;
    this.rule = rule;
    this.quarantine = quarantine;
    this.notesUses = notesUses;
  }

  @Override
  public Optional<CacheEntry> record(Request request, Digest toolchain) {
    return record(directory.record(request, toolchain));
  }

  @Override
  public List<CacheEntry> records(Request request) {
    return directory.listing().records(request).stream()
        .flatMap(name -> record(name).stream())
        .sorted(newestFirst())
        .toList();
  }

  @Override
  public Optional<StoredEntry> load(CacheEntry record) {
    Optional<StoredEntry> found = complete(record);
    if (found.isPresent() && notesUses) {
      noteUse(directory.record(Request.of(record), record.toolchain()));
    }
    return found;
  }

  private void noteUse(RecordFile name) {
    try {
      if (FileStatus.at(name.file()).isOlderThan(USE_MILLIS)) {
        files.touch(name.file());
      }
    } catch (IOException e) {
      // Gone meanwhile.
      return;
    }
  }

  @Override
  public Optional<DependencyList> list(CacheEntry entry, Digest digest) {
    Path list = directory.dependencies(Request.of(entry), digest);
    try {
      return dependencies(list, digest);
    } catch (DamagedEntryException e) {
      return readAgain(list, file -> dependencies(file, digest));
    }
  }

  /** Damaged files stay in place. Reads on all processors. */
  @Override
  public List<CacheEntry> entries() {
    List<List<CacheEntry>> byTarget = new ArrayList<>();
    for (Path target : directory.listing().targetDirectories()) {
      byTarget.add(entries(target));
    }
    byTarget.removeIf(List::isEmpty);
    byTarget.sort(Comparator.comparing(entries -> entries.get(0), EntrySource.byTarget()));
    List<CacheEntry> all = new ArrayList<>();
    byTarget.forEach(all::addAll);
    return Collections.unmodifiableList(all);
  }

  private List<CacheEntry> entries(Path target) {
    if (!isTrusted(target)) {
      return List.of();
    }
    return directory.listing().requests(target).parallelStream()
        .filter(request -> isTrusted(directory.requestDirectory(request)))
        .flatMap(request -> directory.listing().records(request).stream())
        .flatMap(name -> peek(name).stream())
        .sorted(EntrySource.bySource())
        .toList();
  }

  private Optional<CacheEntry> record(RecordFile name) {
    if (!isTrusted(name.request())) {
      return Optional.empty();
    }
    try {
      FileStatus look = FileStatus.at(name.file());
      if (!isTrusted(name.file(), trust.objection(name.file(), look.rights()))) {
        return Optional.empty();
      }
      return signed(name.file(), name);
    } catch (RevokedEntryException e) {
      putAway(name, e);
      return Optional.empty();
    } catch (DamagedEntryException e) {
      return readAgain(name.file(), file -> signed(file, name));
    } catch (IOException e) {
      // Missing, or not examinable.
      return Optional.empty();
    }
  }

  /** As {@link #parse}; nothing if the record lacks a signature that it needs. */
  private Optional<CacheEntry> signed(Path file, RecordFile name) throws DamagedEntryException {
    Optional<byte[]> bytes = read(file, EntryCodec.MAX_BYTES);
    Optional<CacheEntry> entry = parse(bytes, name);
    if (entry.isPresent() && rule.checks()) {
      Optional<Revocation> revocation = rule.revocation(entry.get());
      if (revocation.isPresent()) {
        throw new RevokedEntryException(entry.get(), revocation.get());
      }
      if (!rule.accepts(bytes.get(), signature(name.file()))) {
        return Optional.empty();
      }
    }
    return entry;
  }

  /** Moves a revoked record aside, and then the code object, unless it was replaced meanwhile. */
  private void putAway(RecordFile name, RevokedEntryException revoked) {
    CacheEntry entry = revoked.entry();
    if (quarantine != null) {
      rule.tell(entry, revoked.revocation());
    }
    Quarantine.Check<CacheEntry> again = file -> signed(file, name);
    if (quarantine != null && quarantine.moveAside(name.file(), again)) {
      Path image = directory.codeObject(name.request(), entry.codeObject());
      quarantine.moveAside(
          image,
          file -> {
            throw revoked;
          });
    }
  }

  @Override
  public Optional<String> objection(CacheEntry entry) {
    Path record = directory.record(Request.of(entry), entry.toolchain()).file();
    return rule.revocation(entry)
        .map(Revocation::text)
        .or(() -> text(entry).flatMap(found -> rule.objection(found.text(), signature(record))));
  }

  /** Returns what is beside a record; null if nothing is, and no signature if it can't be read. */
  private byte @Nullable [] signature(Path record) {
    Path file = DirectoryLayout.signature(record);
    try {
      return files.read(file, SignatureText.MAX_BYTES + 1);
    } catch (IOException e) {
      return Files.notExists(file, LinkOption.NOFOLLOW_LINKS) ? null : new byte[0];
    }
  }

  @Override
  public Optional<SignedRecord> text(CacheEntry entry) {
    RecordFile name = directory.record(Request.of(entry), entry.toolchain());
    try {
      byte[] signature = signature(name.file());
      Optional<byte[]> bytes = read(name.file(), EntryCodec.MAX_BYTES);
      return parse(bytes, name).equals(Optional.of(entry))
          ? bytes.map(text -> new SignedRecord(text, signature == null ? new byte[0] : signature))
          : Optional.empty();
    } catch (DamagedEntryException e) {
      return Optional.empty();
    }
  }

  private Optional<CacheEntry> peek(RecordFile name) {
    try {
      return isTrusted(name.file()) ? parse(name.file(), name) : Optional.empty();
    } catch (DamagedEntryException e) {
      return Optional.empty();
    }
  }

  private Optional<StoredEntry> complete(CacheEntry entry) {
    Request request = Request.of(entry);
    Path image = directory.codeObject(request, entry.codeObject());
    Optional<CodeObject> codeObject = codeObject(image, entry);
    if (codeObject.isEmpty()) {
      return Optional.empty();
    }
    if (!StoredEntry.describes(entry, codeObject.get())) {
      RecordFile name = directory.record(request, entry.toolchain());
      var unused = readAgain(name.file(), file -> otherThan(entry, parse(file, name)));
      return Optional.empty();
    }
    return Optional.of(new StoredEntry(entry, codeObject.get()));
  }

  private Optional<CodeObject> codeObject(Path image, CacheEntry entry) {
    try {
      return codeObject(image, entry.codeObject(), entry.size());
    } catch (DamagedEntryException e) {
      return readAgain(image, file -> codeObject(file, entry.codeObject(), entry.size()));
    }
  }

  /** Checks a file again that {@code check} has just found damaged, and moves it aside. */
  private <T> Optional<T> readAgain(Path file, Quarantine.Check<T> check) {
    try {
      return check.read(file);
    } catch (DamagedEntryException e) {
      if (quarantine == null || !quarantine.moveAside(file, check)) {
        log().log(Level.DEBUG, () -> file + " is damaged and passed over", e);
      }
      return Optional.empty();
    }
  }

  private static Comparator<CacheEntry> newestFirst() {
    return Comparator.comparing(CacheEntry::created)
        .reversed()
        .thenComparing(CacheEntry::toolchain);
  }

  /** Only the record needs trust: it has the digests of the other files. */
  private boolean isTrusted(Request request) {
    return isTrusted(directory.targetDirectory(request.target(), request.label()))
        && isTrusted(directory.requestDirectory(request));
  }

  /** Returns whether nobody else can have written a file or directory. */
  private boolean isTrusted(Path path) {
    return isTrusted(path, trust.objection(path));
  }

  private static boolean isTrusted(Path path, Optional<String> objection) {
    if (objection.isPresent()) {
      log().log(Level.DEBUG, () -> "not using " + path + ": it " + objection.get());
    }
    return objection.isEmpty();
  }

  /** Returns whether a file is no record of what its name says; not if it can't be read. */
  boolean isDamaged(RecordFile name) {
    try {
      Optional<CacheEntry> unused = parse(name.file(), name);
      return false;
    } catch (DamagedEntryException e) {
      return true;
    }
  }

  /** Returns whether a record is of an older schema, which nobody reads any more. */
  boolean isOutdated(RecordFile name) {
    try {
      return EntryParser.isOutdated(files.read(name.file(), BEGINNING_BYTES));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns the record in a file; nothing if it cannot be read or is of another version.
   *
   * @throws DamagedEntryException if it is not the record that {@code name} promises
   */
  Optional<CacheEntry> parse(Path file, RecordFile name) throws DamagedEntryException {
    return parse(read(file, EntryCodec.MAX_BYTES), name);
  }

  private static Optional<CacheEntry> parse(Optional<byte[]> bytes, RecordFile name)
      throws DamagedEntryException {
    Optional<CacheEntry> entry =
        bytes.isEmpty() ? Optional.empty() : EntryParser.parse(bytes.get());
    if (entry.isPresent()
        && !(Request.of(entry.get()).equals(name.request())
            && entry.get().toolchain().equals(name.toolchain()))) {
      throw new DamagedEntryException("a record of something else than its name says");
    }
    return entry;
  }

  /** As {@link #parse}, of a list of dependencies. */
  Optional<DependencyList> dependencies(Path file, Digest digest) throws DamagedEntryException {
    Optional<byte[]> bytes = read(file, DependencyList.MAX_BYTES);
    return bytes.isEmpty()
        ? Optional.empty()
        : Optional.of(DependencyList.parse(bytes.get(), digest));
  }

  /**
   * As {@link #parse}, of a code object.
   *
   * @param expectedSize its size by the record, at most 1 GiB; a file of another size is accepted
   *     if its SHA-256 is {@code digest}, since then the record is wrong
   */
  Optional<CodeObject> codeObject(Path file, Digest digest, long expectedSize)
      throws DamagedEntryException {
    boolean isLarge = expectedSize > LARGE_BYTES;
    Optional<byte[]> bytes = isLarge ? Optional.empty() : start(file, (int) expectedSize + 1);
    if (isLarge || (bytes.isPresent() && bytes.get().length != expectedSize)) {
      checkDigest(file, digest);
      bytes = read(file, MAX_CODE_OBJECT_BYTES);
    }
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

  /**
   * Checks a code object without reading it into memory.
   *
   * @throws DamagedEntryException if it has another SHA-256, or is too large
   */
  void checkDigest(Path file, Digest digest) throws DamagedEntryException {
    try {
      if (Files.size(file) > MAX_CODE_OBJECT_BYTES) {
        throw new DamagedEntryException(
            "more than the " + MAX_CODE_OBJECT_BYTES + " bytes that it may have");
      }
      if (!files.digest(file).equals(digest)) {
        throw new DamagedEntryException("bytes whose SHA-256 is not the file's name");
      }
    } catch (IOException e) {
      // Missing or unreadable: the read that follows finds out.
      return;
    }
  }

  /** Returns a record, unless it is the one that is known to be wrong. */
  static Optional<CacheEntry> otherThan(CacheEntry mismatched, Optional<CacheEntry> found)
      throws DamagedEntryException {
    if (found.equals(Optional.of(mismatched))) {
      throw new DamagedEntryException("a record that misdescribes its code object");
    }
    return found;
  }

  /**
   * Returns the content; empty if the file does not exist.
   *
   * @throws DamagedEntryException if it is longer, or not a regular file
   */
  private Optional<byte[]> read(Path file, int limit) throws DamagedEntryException {
    Optional<byte[]> content = start(file, limit + 1);
    if (content.isPresent() && content.get().length > limit) {
      throw new DamagedEntryException("more than the " + limit + " bytes that it may have");
    }
    return content;
  }

  /** Returns the first bytes of a file. */
  private Optional<byte[]> start(Path file, int limit) throws DamagedEntryException {
    try {
      return Optional.of(content(file, limit));
    } catch (IOException e) {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
          && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        throw new DamagedEntryException("not a regular file", e);
      }
      return Optional.empty();
    }
  }

  private byte[] content(Path file, int limit) throws IOException {
    try {
      return files.read(file, limit);
    } catch (FileNotFoundException e) {
      throw e;
    } catch (IOException e) {
      // Such as ESTALE: on NFS, a file that was replaced while it was open.
      return files.read(file, limit);
    }
  }

  /** Created on demand: the first logger of a process takes 30 ms. */
  private static Logger log() {
    return System.getLogger(EntryReader.class.getName());
  }
}
