// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.classpath.ResourceList;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryBytes;
import dev.kcache.cache.store.ResourceNames;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
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
import org.jspecify.annotations.Nullable;

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
 * <p>Safe for use by any number of threads; one writer at a time for a directory. Several that fill
 * one directory in turn each have a {@linkplain #into(CacheManager, Path, Path) list} of their own
 * files.
 */
public final class ResourceWriter {
  private static final String TEMPORARY_PREFIX = ".tmp-";

  /** The lists of the compiler's files are not carried. */
  private static final Digest NO_FILES = DependencyList.of(List.of()).digest();

  private final CacheManager cache;
  private final Path classes;
  private final @Nullable ResourceList list;
  private final Set<String> wanted = new HashSet<>();
  private final Set<String> written = new HashSet<>();
  private long bytes;

  private ResourceWriter(CacheManager cache, Path classes, @Nullable ResourceList list) {
    cache.provenance.remember();
    this.cache = cache;
    this.classes = Objects.requireNonNull(classes, "classes");
    this.list = list;
  }

  /**
   * {@return a writer that is the only one for its directory}
   *
   * @param cache resolves what is to be written; best one {@linkplain
   *     CacheManagerBuilder#withoutClassPath without a class path} of its own. It may be one whose
   *     disk is disabled
   * @param classes the root of the resources, such as {@code target/classes}; made when needed
   */
  public static ResourceWriter into(CacheManager cache, Path classes) {
    Objects.requireNonNull(cache, "cache");
    Objects.requireNonNull(classes, "classes");
    return new ResourceWriter(cache, classes, null);
  }

  /**
   * {@return a writer that is one of several for its directory, such as one of each execution of a
   * build plugin} It removes only what its own list names.
   *
   * @param cache as {@link #into(CacheManager, Path)} takes it
   * @param classes as {@link #into(CacheManager, Path)} takes it
   * @param list where the writer keeps the names of its files from one build to the next: a file
   *     whose name ends with {@code .list}, made when needed, outside of {@code classes}. The lists
   *     of the other writers lie beside it; what they name is left alone
   * @throws IOException if the list can't be read
   * @throws IllegalArgumentException if the list's name ends otherwise
   */
  public static ResourceWriter into(CacheManager cache, Path classes, Path list)
      throws IOException {
    Objects.requireNonNull(cache, "cache");
    Objects.requireNonNull(classes, "classes");
    Objects.requireNonNull(list, "list");
    return new ResourceWriter(cache, classes, ResourceList.read(list));
  }

  /**
   * Resolves a source as {@link CacheManager#resolveAsync(KernelSource, TargetId)} does, and writes
   * the result.
   *
   * @param source as the application will read it
   * @param target processor and features that the code object is for
   * @return a future that completes once record and code object are written; it fails as that
   *     method's does, and with an {@link UncheckedIOException} if they can't be written: what was
   *     there before is still there
   */
  public CompletableFuture<CacheResult> write(KernelSource source, TargetId target) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(target, "target");
    return cache
        .resolveAsync(source, target)
        .thenApply(
            result -> {
              try {
                write(record(source, target, result), result.codeObject().bytes());
              } catch (IOException e) {
                throw new UncheckedIOException(
                    "cannot write resources of %s into %s: %s"
                        .formatted(source.name(), classes, reason(e)),
                    e);
              }
              return result;
            });
  }

  /** The message of some exceptions is only the path, which may be one above the directory. */
  private static String reason(IOException e) {
    if (e instanceof FileSystemException failure && failure.getReason() == null) {
      boolean denied = failure instanceof AccessDeniedException;
      return failure.getFile() + ": " + (denied ? "permission denied" : "it can't be made");
    }
    return String.valueOf(e.getMessage());
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
    SignedRecord text = cache.signatures().sign(EntryBytes.encode(record));
    if (text.signature().length > 0) {
      write(ResourceNames.signature(record.target(), record.request()), text.signature());
    }
    write(ResourceNames.record(record.target(), record.request()), text.text());
  }

  private void write(String name, byte[] content) throws IOException {
    wanted.add(name);
    Path file = classes.resolve(name);
    if (list != null) {
      list.add(name);
    }
    if (!holds(file, content)) {
      Files.createDirectories(file.getParent());
      Path temporary = temporary(file);
      try {
        Files.write(temporary, content);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        delete(temporary, e);
        throw e;
      }
    }
    if (written.add(name)) {
      bytes += content.length;
    }
  }

  private static Path temporary(Path file) {
    return file.resolveSibling(TEMPORARY_PREFIX + file.getFileName());
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

  /**
   * {@return the folder that is written into, {@code META-INF/kcache} below the root of the
   * resources}
   */
  public Path folder() {
    return classes.resolve(ResourceNames.FOLDER);
  }

  /**
   * {@return how many files this writer wrote or found right: records, their signatures and code
   * objects}
   */
  public synchronized int files() {
    return written.size();
  }

  /** {@return how many bytes the {@link #files()} have} */
  public synchronized long bytes() {
    return bytes;
  }

  /**
   * Removes what an earlier writer left and this one was not asked for: records, their signatures,
   * code objects and temporary files, with the folders that are empty then. Other files stay, and
   * so does what a writer's list does not name, if it has one.
   *
   * @throws IOException if one can't be removed; the others may be removed or not
   */
  public synchronized void removeOthers() throws IOException {
    if (list == null) {
      removeUnwanted();
    } else {
      for (String name : list.retain(wanted)) {
        Path file = classes.resolve(name);
        Files.deleteIfExists(file);
        Files.deleteIfExists(temporary(file));
      }
    }
    for (Path target : children(folder())) {
      deleteIfEmpty(target);
    }
    deleteIfEmpty(folder());
  }

  private void removeUnwanted() throws IOException {
    for (Path target : children(folder())) {
      for (Path file : children(target)) {
        String name = String.valueOf(file.getFileName());
        boolean ours =
            name.startsWith(TEMPORARY_PREFIX) || ResourceNames.FILES.matcher(name).matches();
        if (ours && !wanted.contains(nameOf(target, name))) {
          Files.delete(file);
        }
      }
    }
  }

  private static String nameOf(Path target, String file) {
    return String.join("/", ResourceNames.FOLDER, String.valueOf(target.getFileName()), file);
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
