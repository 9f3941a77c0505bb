// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryBytes;
import dev.kcache.cache.store.FileOperations;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.ResourceNames;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Experimental;
import dev.kcache.codeobject.TargetId;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes the entries of a manager's cache directory into one jar: a pack. It serves as a layer,
 * named in {@code KCACHE_PATH} or {@link CacheManagerBuilder#layers}, and on the class path.
 *
 * <pre>{@code
 * try (CacheManager cache = CacheManager.create()) {
 *   PackWriter.write(cache, Path.of("kernels.jar"), Set.of(), (directory, done, total) -> {});
 * }
 * }</pre>
 *
 * <p>Each entry is verified as a lookup verifies it, and keeps its record's exact bytes and
 * signatures. Of several of one request, which different compilers made, the pack has the latest.
 * The same entries give the same bytes. Safe for use by any number of threads.
 */
@Experimental
public final class PackWriter {
  private static final byte[] MANIFEST = "Manifest-Version: 1.0\r\n\r\n".getBytes(US_ASCII);

  /** A ZIP knows no earlier year, and no time zone. */
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

  private final Layer from;
  private final Set<String> written = new HashSet<>();
  private final List<String> problems = new ArrayList<>();
  private long entries;
  private long older;
  private long refused;
  private long damaged;

  private PackWriter(Layer from) {
    this.from = from;
  }

  /**
   * What became of the entries of a directory.
   *
   * @param entries how many are in the pack
   * @param older how many are not, since a later one of the same request is
   * @param refused how many are not, since they are revoked or lack a signature that is asked for
   * @param damaged how many are not, since they are damaged
   * @param problems a line for each that was refused or is damaged
   * @param bytes the size of the pack; 0 if there was nothing to write
   */
  public record Packed(
      long entries, long older, long refused, long damaged, List<String> problems, long bytes) {
    /**
     * Copies the list.
     *
     * @param entries as {@link #entries()}
     * @param older as {@link #older()}
     * @param refused as {@link #refused()}
     * @param damaged as {@link #damaged()}
     * @param problems as {@link #problems()}; copied
     * @param bytes as {@link #bytes()}
     */
    public Packed {
      problems = List.copyOf(problems);
    }
  }

  /**
   * Writes a pack. It appears whole, in the place of a file that has its name; whatever is thrown,
   * that file is still there.
   *
   * @param cache the manager whose cache directory is packed; its layers are not
   * @param file the pack, in a directory that exists
   * @param targets of which the entries are packed; all if there are none
   * @param listener hears of each request; what it throws ends the work
   * @return what became of the entries; if the pack would have none, nothing is written
   * @throws IOException if the directory can't be read or the file can't be written
   */
  public static Packed write(
      CacheManager cache, Path file, Set<TargetId> targets, MaintenanceListener listener)
      throws IOException {
    requireNonNull(cache, "cache");
    requireNonNull(file, "file");
    requireNonNull(targets, "targets");
    requireNonNull(listener, "listener");
    Layer from = cache.ownLayer();
    if (!from.isReadable()) {
      throw new IOException(from.fault().orElse(from.root() + " cannot be read"));
    }
    return new PackWriter(from).write(file.toAbsolutePath(), targets, listener);
  }

  private Packed write(Path file, Set<TargetId> targets, MaintenanceListener listener)
      throws IOException {
    FileOperations files = FileOperations.of(file);
    Path temporary = file.resolveSibling(".kcache-" + UUID.randomUUID() + ".tmp");
    long bytes = 0;
    try {
      files.createFile(temporary, Access.LAYER);
      try (ZipOutputStream zip =
          new ZipOutputStream(new BufferedOutputStream(new FileOutputStream(temporary.toFile())))) {
        zip.setMethod(ZipOutputStream.STORED);
        put(zip, "META-INF/MANIFEST.MF", MANIFEST);
        writeAll(zip, requests(targets), listener);
      }
      if (entries > 0) {
        bytes = Files.size(temporary);
        files.force(temporary);
        files.rename(temporary, file);
        files.forceDirectory(file.resolveSibling(""));
      }
      files.delete(temporary);
    } catch (IOException | RuntimeException e) {
      try {
        files.delete(temporary);
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
    return new Packed(entries, older, refused, damaged, problems, bytes);
  }

  /** Returns the records of each request, the latest first, in an order of their names alone. */
  private Map<String, List<CacheEntry>> requests(Set<TargetId> targets) {
    Comparator<CacheEntry> latest =
        Comparator.comparing(CacheEntry::created).reversed().thenComparing(CacheEntry::toolchain);
    return from.entries().stream()
        .filter(entry -> targets.isEmpty() || targets.contains(entry.target()))
        .sorted(latest)
        .collect(
            Collectors.groupingBy(
                entry -> ResourceNames.record(entry.target(), entry.request()),
                TreeMap::new,
                Collectors.toList()));
  }

  private void writeAll(
      ZipOutputStream zip, Map<String, List<CacheEntry>> requests, MaintenanceListener listener)
      throws IOException {
    long done = 0;
    for (List<CacheEntry> records : requests.values()) {
      boolean has = false;
      for (CacheEntry record : records) {
        if (has) {
          older++;
        } else {
          has = write(zip, record);
        }
      }
      listener.checked(from.root(), ++done, requests.size());
    }
  }

  /** Returns whether it was written. */
  private boolean write(ZipOutputStream zip, CacheEntry record) throws IOException {
    Optional<String> objection = from.objection(record);
    if (objection.isPresent()) {
      refused++;
      tell(record, objection.get());
      return false;
    }
    Optional<SignedRecord> text = from.text(record);
    if (text.isEmpty()) {
      // It was evicted or replaced meanwhile.
      return false;
    }
    Optional<StoredEntry> stored = from.peek(record);
    Optional<DependencyList> dependencies = from.dependencies(record);
    Optional<DependencyList> toolchainFiles = from.toolchainFiles(record);
    if (stored.isEmpty() || dependencies.isEmpty() || toolchainFiles.isEmpty()) {
      damaged++;
      tell(
          record,
          stored.isEmpty()
              ? "its code object is missing or damaged"
              : "its list of the compiler's files is missing or damaged");
      return false;
    }
    write(zip, stored.get(), text.get(), List.of(dependencies.get(), toolchainFiles.get()));
    entries++;
    return true;
  }

  private void tell(CacheEntry record, String problem) {
    problems.add(
        "%s for %s, request %s, is left out: %s"
            .formatted(record.source(), record.target(), record.request(), problem));
  }

  /** Many entries share lists, and some share a code object. */
  private void write(
      ZipOutputStream zip, StoredEntry stored, SignedRecord text, List<DependencyList> lists)
      throws IOException {
    CacheEntry record = stored.entry();
    TargetId target = record.target();
    Digest request = record.request();
    byte[] image = new byte[(int) record.size()];
    stored.codeObject().bytes().get(image);
    put(zip, ResourceNames.codeObject(target, record.codeObject()), image);
    for (DependencyList list : lists) {
      put(zip, ResourceNames.dependencies(target, list.digest()), EntryBytes.encode(list));
    }
    if (text.signature().length > 0) {
      put(zip, ResourceNames.signature(target, request), text.signature());
    }
    put(zip, ResourceNames.record(target, request), text.text());
  }

  /** Nothing is deflated: that would take time on each read, and give other bytes elsewhere. */
  private void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
    if (!written.add(name)) {
      return;
    }
    CRC32 checksum = new CRC32();
    checksum.update(content);
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(TIME);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(content.length);
    entry.setCrc(checksum.getValue());
    zip.putNextEntry(entry);
    zip.write(content);
    zip.closeEntry();
  }
}
