// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.classpath.ResourceNames;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryBytes;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Writes code objects as resources that an application's jar carries, below {@code
 * META-INF/kcache}, for build tools. A manager of that application then serves them without a
 * compiler, a cache directory or a network.
 *
 * <pre>{@code
 * ResourceWriter writer = ResourceWriter.into(cache, Path.of("target/classes"));
 * writer.write(KernelSource.read(file), TargetId.parse("gfx90a")).join();
 * writer.removeOthers();
 * }</pre>
 *
 * <p>The bytes depend on request, compiler and code object alone, so that a build is reproducible:
 * a record has neither times nor the compiler's command. A file that is right already is not
 * touched. Each file appears whole; it is not forced to the disk, since a build can be run again.
 *
 * <p>Safe for use by any number of threads; one writer at a time for a directory.
 */
public final class ResourceWriter {
  private static final String TEMPORARY_PREFIX = ".tmp-";

  /** The lists of the compiler's files are not carried. */
  private static final Digest NO_FILES = DependencyList.of(List.of()).digest();

  private final CacheManager cache;
  private final Path classes;
  private final Set<Path> wanted = new HashSet<>();
  private long bytes;

  private ResourceWriter(CacheManager cache, Path classes) {
    this.cache = cache;
    this.classes = classes;
  }

  /**
   * Returns a writer.
   *
   * @param cache resolves what is to be written; best one {@linkplain
   *     CacheManagerBuilder#withoutClassPath without a class path} of its own. It may be one whose
   *     disk is disabled
   * @param classes the root of the resources, such as {@code target/classes}; made when needed
   */
  public static ResourceWriter into(CacheManager cache, Path classes) {
    cache.provenance.remember();
    return new ResourceWriter(cache, Objects.requireNonNull(classes, "classes"));
  }

  /**
   * Resolves a source as {@link CacheManager#resolveAsync} does, and writes the result. The future
   * also fails with an {@link UncheckedIOException} if it can't be written; what was there before
   * is still there.
   */
  public CompletableFuture<CacheResult> write(KernelSource source, TargetId target) {
    return cache
        .resolveAsync(source, target)
        .thenApply(
            result -> {
              try {
                write(record(source, target, result), result.codeObject().bytes());
              } catch (IOException e) {
                throw new UncheckedIOException(
                    "cannot write resources of %s into %s: %s"
                        .formatted(source.name(), classes, e.getMessage()),
                    e);
              }
              return result;
            });
  }

  private CacheEntry record(KernelSource source, TargetId target, CacheResult result)
      throws IOException {
    return cache
        .provenance
        .of(source, target, result)
        .map(ResourceWriter::reproducible)
        .orElseThrow(() -> new IOException("its entry was removed meanwhile; try again"));
  }

  private static CacheEntry reproducible(CacheEntry entry) {
    return new CacheEntry(
        entry.codeObject(),
        entry.size(),
        entry.codeObjectVersion(),
        entry.source(),
        entry.language(),
        entry.inputs(),
        entry.target(),
        entry.label(),
        entry.request(),
        entry.toolchain(),
        NO_FILES,
        entry.compiler(),
        entry.options(),
        List.of(),
        entry.log(),
        Duration.ZERO,
        Instant.EPOCH,
        NO_FILES,
        entry.instances());
  }

  /** A record never names a code object that is not there yet. */
  private synchronized void write(CacheEntry record, ByteBuffer image) throws IOException {
    byte[] code = new byte[image.remaining()];
    image.duplicate().get(code);
    write(ResourceNames.codeObject(record.target(), record.codeObject()), code);
    write(ResourceNames.record(record.target(), record.request()), EntryBytes.encode(record));
  }

  private void write(String name, byte[] content) throws IOException {
    Path file = classes.resolve(name);
    if (wanted.add(file)) {
      bytes += content.length;
    }
    if (!holds(file, content)) {
      Files.createDirectories(file.getParent());
      Path temporary = file.resolveSibling(TEMPORARY_PREFIX + file.getFileName());
      try {
        Files.write(temporary, content);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        delete(temporary, e);
        throw e;
      }
    }
  }

  private static boolean holds(Path file, byte[] content) throws IOException {
    try {
      return Files.size(file) == content.length
          && ByteBuffer.wrap(Files.readAllBytes(file)).equals(ByteBuffer.wrap(content));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static void delete(Path temporary, IOException cause) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** Returns the folder that is written into. */
  public Path folder() {
    return classes.resolve(ResourceNames.FOLDER);
  }

  /** Returns how many files this writer wrote or found right, records and code objects. */
  public synchronized int files() {
    return wanted.size();
  }

  /** Returns how many bytes they have. */
  public synchronized long bytes() {
    return bytes;
  }

  /**
   * Removes what an earlier writer left and this one did not write: records, code objects and
   * temporary files, with the folders that are empty then. Other files stay.
   *
   * @throws IOException if one can't be removed; the others may be removed or not
   */
  public synchronized void removeOthers() throws IOException {
    for (Path target : children(folder())) {
      for (Path file : children(target)) {
        String name = String.valueOf(file.getFileName());
        boolean ours =
            name.startsWith(TEMPORARY_PREFIX) || ResourceNames.FILES.matcher(name).matches();
        if (ours && !wanted.contains(file)) {
          Files.delete(file);
        }
      }
      deleteIfEmpty(target);
    }
    deleteIfEmpty(folder());
  }

  private static void deleteIfEmpty(Path folder) throws IOException {
    if (Files.isDirectory(folder) && children(folder).isEmpty()) {
      Files.delete(folder);
    }
  }

  private static List<Path> children(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> children = Files.list(folder)) {
      return children.toList();
    }
  }
}
