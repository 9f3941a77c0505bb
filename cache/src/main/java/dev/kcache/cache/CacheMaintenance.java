// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.CollectionResult;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.EntryDirectory;
import dev.kcache.cache.store.UsageTable;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What is done to a manager's cache directory as a whole, rather than for a request. Layers are
 * never changed.
 *
 * <p>Safe for use by any number of threads and processes, beside any number of requests.
 */
public final class CacheMaintenance {
  private final Directories directories;
  private final Optional<DiskStore> own;
  private final UsageRecorder recorder;
  private final StaleEntries stale;

  /** Takes care of {@code directories}; {@code own} is the one in which usage is counted. */
  CacheMaintenance(
      Directories directories,
      Optional<DiskStore> own,
      UsageRecorder recorder,
      StaleEntries stale) {
    this.directories = directories;
    this.own = own;
    this.recorder = recorder;
    this.stale = stale;
  }

  /**
   * Reads everything in the cache directory and then in each layer, on all processors, and tells
   * what is wrong: what is damaged, incomplete, left behind, or open to others. May be called
   * beside any number of requests, of this process and others; what they add, replace or remove
   * meanwhile is no finding.
   *
   * @param repair whether to mend what is wrong in the cache directory; layers are never changed.
   *     What is closed to others again is believed from then on, whoever wrote it.
   * @param listener hears of each file
   */
  public Verification verify(boolean repair, MaintenanceListener listener) {
    List<Path> roots = new ArrayList<>();
    List<Finding> findings = new ArrayList<>();
    long records = 0;
    long codeObjects = 0;
    long bytes = 0;
    for (EntryDirectory directory : directories.all()) {
      Verification part =
          repair && directory instanceof DiskStore store
              ? store.repair(listener)
              : directory.verify(listener);
      roots.addAll(part.directories());
      findings.addAll(part.findings());
      records += part.records();
      codeObjects += part.codeObjects();
      bytes += part.bytes();
    }
    return new Verification(roots, records, codeObjects, bytes, findings);
  }

  /**
   * Chooses entries of the cache directory to be removed; changes nothing yet. If nothing restricts
   * the choice, what is remembered of compilers, what was quarantined and what killed writers left
   * is part of it, too.
   *
   * @return the choice; nothing if there is no cache directory
   * @throws UncheckedIOException if the cache directory cannot be read; the message says why
   * @throws ToolchainNotFoundException if stale entries are wanted and there is no compiler to tell
   *     which those are
   * @throws CompilationException if a compiler does not tell
   */
  public Optional<Clearing> clearing(ClearCriteria criteria) {
    Optional<DiskStore> store = directories.own().filter(DiskStore::exists);
    if (store.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Clearing(
              store.get(),
              criteria.areNone()
                  ? store.get().selectAll()
                  : store.get().select((entry, unused) -> isWanted(criteria, entry, unused))));
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    }
  }

  private boolean isWanted(ClearCriteria criteria, CacheEntry entry, Duration unused) {
    return criteria.match(entry, unused) && (!criteria.stale() || stale.test(entry));
  }

  /**
   * Returns what all processes have counted that use the user's own cache directory, and this
   * manager until now. What goes into a layer or comes from one is counted there, too.
   */
  public CacheUsage usage() {
    recorder.write();
    return UsageReader.read(own.map(DiskStore::usage).orElse(new UsageTable(Long.MAX_VALUE)));
  }

  /**
   * Begins counting anew, for all processes.
   *
   * @throws UncheckedIOException if that is not possible; what was not deleted still counts
   */
  public void resetUsage() {
    recorder.write();
    try {
      if (own.isPresent()) {
        own.get().resetUsage();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("statistics cannot be reset: " + e.getMessage(), e);
    }
  }

  /** Returns the bytes on the disk, in blocks, of what is remembered of compilers. */
  public long memoBytes() {
    return own.map(DiskStore::memoBytes).orElse(0L);
  }

  /**
   * Returns the bytes on the disk, in blocks, of compilers that were unpacked into the cache
   * directory. They count towards no limit, and {@link #clearing} leaves them where they are.
   */
  public long toolchainBytes() {
    return own.map(DiskStore::toolchainBytes).orElse(0L);
  }

  /** Returns the root of the cache directory; empty if the disk is not used. */
  public Optional<Path> directory() {
    return directories.own().map(DiskStore::root);
  }

  /**
   * Returns one line that says why the cache directory cannot be looked at: it is none, or cannot
   * be read or trusted. Nothing if it can be, or is not there.
   */
  public Optional<String> readFault() {
    return directories.own().flatMap(DiskStore::readFault);
  }

  /**
   * Returns one line that says why nothing can be added to or removed from the cache directory, as
   * far as that shows without trying; nothing if it can be, or if there is none.
   */
  public Optional<String> writeFault() {
    return directories.own().flatMap(DiskStore::writeFault);
  }

  /** Returns what the cache directory may hold. */
  public CacheLimits limits() {
    return directories.limits();
  }

  /**
   * Removes what exceeds the {@linkplain #limits limits}: entries that went unused for too long,
   * and if all takes more than it may, what was used least recently, until a tenth of the limit is
   * free. Precompiled headers and quarantined files go in the same order, and what no entry needs
   * goes before. Takes as long as reading each record takes, if a limit is exceeded, and else as
   * looking at each file; those who use the directory meanwhile are not held up, and at worst have
   * a miss.
   *
   * <p>A manager that adds something does this by itself, in the background and once an hour at
   * most; not in a directory that it fills for others.
   *
   * @param dryRun whether only to tell what would go
   * @throws UncheckedIOException if the directory cannot be read or, to remove something, written;
   *     nothing is removed
   */
  public CollectionResult collect(boolean dryRun) {
    return collect(dryRun, () -> false);
  }

  /**
   * As {@link #collect(boolean)}, but may be stopped: the entry in hand is finished, so that no
   * code object is left that only entries named which are gone.
   *
   * @param stopped whether to leave the rest; asked before each entry. What was not looked at by
   *     then is not in the result.
   */
  public CollectionResult collect(boolean dryRun, BooleanSupplier stopped) {
    Optional<DiskStore> own = directories.own().filter(DiskStore::exists);
    if (own.isEmpty()) {
      return new CollectionResult(0, 0, 0, 0, Optional.empty());
    }
    try {
      requireNone(dryRun ? readFault() : writeFault());
      return dryRun
          ? own.get().collector().plan(limits().policy(), BackgroundEviction::memo)
          : own.get().collector().collect(limits().policy(), BackgroundEviction::memo, stopped);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  private static void requireNone(Optional<String> fault) throws IOException {
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
  }
}
