// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.SignatureText;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.ResourceNames.Named;
import dev.kcache.cache.trust.PathTrust;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of a jar. Only names of the layout are looked up, whatever else it holds; each
 * part is read up to the bytes that it may have, and checked as in a directory.
 *
 * <p>The jar stays open. Each lookup compares the file's stamp: one that was replaced is opened
 * anew, and the old one is left to those that read it, until the JDK closes it with the garbage.
 */
final class PackReader implements EntrySource {
  private final Path file;
  private final Trust trust;
  private final PlaceRule rule;
  private volatile @Nullable Opened opened;

  /** A jar, and the file that it was when it was opened. */
  private record Opened(ZipFile zip, FileStatus status) {}

  /** The bytes of a record, and what they say. */
  private record Found(SignedRecord text, CacheEntry entry) {}

  /** Looks something up in a jar. */
  private interface Lookup<T> {
    Optional<T> in(ZipFile zip) throws DamagedEntryException;
  }

  PackReader(Path file, Trust trust, PlaceRule rule) {
    this.file = file;
    this.trust = trust;
    this.rule = rule;
  }

  /**
   * Returns the jar.
   *
   * @throws NoSuchFileException if there is none
   * @throws ZipException if it is damaged
   * @throws IOException if it can't be used; the message goes on after "it"
   */
  ZipFile open() throws IOException {
    FileStatus now = FileStatus.behind(file);
    Opened known = opened;
    if (known != null && known.status.isSameAs(now)) {
      return known.zip;
    }
    synchronized (this) {
      known = opened;
      if (known == null || !known.status.isSameAs(now)) {
        known = new Opened(openTrusted(), now);
        opened = known;
      }
      return known.zip;
    }
  }

  private ZipFile openTrusted() throws IOException {
    PathTrust way = PathTrust.to(file, trust);
    if (way.objection().isPresent()) {
      throw new IOException("is reached through " + way.objection().get());
    }
    if (way.rights() == null) {
      throw new NoSuchFileException(file.toString());
    }
    Optional<String> objection = trust.objection(way.end(), way.rights());
    if (objection.isPresent()) {
      throw new IOException(objection.get());
    }
    if (!Files.isRegularFile(way.end())) {
      throw new IOException("is neither a directory nor a pack; make one with 'kcache pack'");
    }
    if (!Files.isReadable(way.end())) {
      throw new IOException("cannot be read by this user; have its owner run 'chmod go+r' on it");
    }
    return openPack(way.end());
  }

  private static ZipFile openPack(Path jar) throws IOException {
    ZipFile zip;
    try {
      zip = new ZipFile(jar.toFile());
    } catch (ZipException | IllegalArgumentException e) {
      throw new ZipException(
          "is not a jar, or a damaged one ("
              + e.getMessage()
              + "); make it anew with 'kcache pack'");
    }
    if (records(zip).findFirst().isEmpty()) {
      zip.close();
      throw new IOException("has no kernels in META-INF/kcache; make one with 'kcache pack'");
    }
    return zip;
  }

  /** Returns what the records in a jar are named. */
  static List<Named> names(ZipFile zip) {
    return records(zip).toList();
  }

  private static Stream<Named> records(ZipFile zip) {
    return zip.stream().flatMap(entry -> ResourceNames.recordNamed(entry.getName()).stream());
  }

  /** Returns whether the first record is of an older schema, which nobody reads any more. */
  boolean isOutdated() {
    return look(zip -> {
          Named first = records(zip).findFirst().orElseThrow();
          String name = ResourceNames.record(first.target(), first.request());
          return Optional.ofNullable(read(zip, name, EntryBytes.MAX_RECORD));
        })
        .filter(EntryParser::isOutdated)
        .isPresent();
  }

  @Override
  public Optional<CacheEntry> record(Request request, Digest toolchain) {
    return serving(request).filter(entry -> entry.toolchain().equals(toolchain));
  }

  @Override
  public List<CacheEntry> records(Request request) {
    return serving(request).stream().toList();
  }

  private Optional<CacheEntry> serving(Request request) {
    return found(request.digest(), request.target())
        .filter(found -> found.entry.label().equals(request.label()))
        .filter(found -> !rule.checks() || rule.accepts(found.entry, found.text))
        .map(Found::entry);
  }

  /** Returns the record of a request, whoever made it and whether it may serve or not. */
  Optional<CacheEntry> any(Digest request, TargetId target) {
    return found(request, target).map(Found::entry);
  }

  private Optional<Found> found(Digest request, TargetId target) {
    return look(zip -> found(zip, request, target));
  }

  private Optional<Found> found(ZipFile zip, Digest request, TargetId target)
      throws DamagedEntryException {
    byte[] text = read(zip, ResourceNames.record(target, request), EntryBytes.MAX_RECORD);
    if (text == null) {
      return Optional.empty();
    }
    Optional<CacheEntry> entry = EntryBytes.record(text, request, target);
    if (entry.isEmpty()) {
      return Optional.empty();
    }
    byte[] signature = read(zip, ResourceNames.signature(target, request), SignatureText.MAX_BYTES);
    byte[] signatures = signature == null ? new byte[0] : signature;
    return Optional.of(new Found(new SignedRecord(text, signatures), entry.get()));
  }

  /**
   * Returns the record that has a name; empty if another version of kcache wrote it.
   *
   * @throws DamagedEntryException if it is not what the name says
   */
  static Optional<CacheEntry> record(ZipFile zip, Named name) throws DamagedEntryException {
    String path = ResourceNames.record(name.target(), name.request());
    byte[] text = read(zip, path, EntryBytes.MAX_RECORD);
    return text == null ? Optional.empty() : EntryBytes.record(text, name.request(), name.target());
  }

  @Override
  public Optional<StoredEntry> load(CacheEntry record) {
    return look(zip -> load(zip, record));
  }

  /**
   * Returns the entry of a record; empty if its code object is missing.
   *
   * @throws DamagedEntryException if that isn't what the record describes
   */
  static Optional<StoredEntry> load(ZipFile zip, CacheEntry record) throws DamagedEntryException {
    String name = ResourceNames.codeObject(record.target(), record.codeObject());
    byte[] image = read(zip, name, (int) record.size());
    return image == null ? Optional.empty() : Optional.of(EntryBytes.complete(record, image));
  }

  @Override
  public Optional<DependencyList> list(CacheEntry entry, Digest digest) {
    return look(zip -> list(zip, entry, digest));
  }

  /** As {@link #load(ZipFile, CacheEntry)}, of a list of files. */
  static Optional<DependencyList> list(ZipFile zip, CacheEntry entry, Digest digest)
      throws DamagedEntryException {
    String name = ResourceNames.dependencies(entry.target(), digest);
    byte[] list = read(zip, name, EntryBytes.MAX_LIST);
    return list == null ? Optional.empty() : Optional.of(EntryBytes.list(list, digest));
  }

  @Override
  public List<CacheEntry> entries() {
    List<CacheEntry> entries =
        new ArrayList<>(
            look(zip -> Optional.of(names(zip))).orElse(List.of()).stream()
                .flatMap(name -> any(name.request(), name.target()).stream())
                .toList());
    entries.sort(EntrySource.byTarget().thenComparing(EntrySource.bySource()));
    return entries;
  }

  @Override
  public Optional<SignedRecord> text(CacheEntry entry) {
    return same(entry).map(Found::text);
  }

  @Override
  public Optional<String> objection(CacheEntry entry) {
    return rule.revocation(entry)
        .map(revocation -> revocation.text())
        .or(
            () ->
                same(entry)
                    .flatMap(found -> rule.objection(found.text.text(), found.text.signature())));
  }

  private Optional<Found> same(CacheEntry entry) {
    return found(entry.request(), entry.target()).filter(found -> found.entry.equals(entry));
  }

  /** Closes the jar. A lookup that is under way then is a miss; a later one opens it again. */
  void close() {
    Opened last = opened;
    opened = null;
    if (last != null) {
      try {
        last.zip.close();
      } catch (IOException e) {
        tell(e);
      }
    }
  }

  /** A fault of the jar was told when it was opened first; later ones are misses. */
  private <T> Optional<T> look(Lookup<T> lookup) {
    try {
      return lookup.in(open());
    } catch (DamagedEntryException | IOException | IllegalStateException e) {
      tell(e);
      return Optional.empty();
    }
  }

  private void tell(Exception problem) {
    System.getLogger(PackReader.class.getName())
        .log(Level.DEBUG, () -> "passed over in " + file, problem);
  }

  /** Returns what has a name; null if nothing has. */
  private static byte @Nullable [] read(ZipFile zip, String name, int limit)
      throws DamagedEntryException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      return null;
    }
    try (InputStream in = zip.getInputStream(entry)) {
      byte[] content = in.readNBytes(limit + 1);
      if (content.length > limit) {
        throw new DamagedEntryException("more than the " + limit + " bytes that it may have");
      }
      return content;
    } catch (IOException e) {
      throw new DamagedEntryException("unreadable: " + e.getMessage(), e);
    }
  }
}
