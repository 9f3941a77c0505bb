// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.CollectionResult;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.cache.remote.RemoteHealth;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.RemovalPlan;
import dev.kcache.cache.store.StoreMaintenance;
import dev.kcache.cache.store.UsageTable;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Experimental;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Looks after a manager's cache directory and shows what is in it and in its layers. Layers are
 * never changed.
 *
 * <pre>{@code
 * CacheMaintenance maintenance = cache.maintenance();
 * for (CacheEntry entry : maintenance.entries()) {
 *   System.out.println(entry.target() + " " + entry.source() + " " + entry.size() + " bytes");
 * }
 * maintenance
 *     .clearing(ClearCriteria.EVERYTHING.withUnusedFor(Duration.ofDays(30)))
 *     .ifPresent(clearing -> System.out.println(clearing.run().entries() + " entries removed"));
 * }</pre>
 *
 * <p>Safe for use by any number of threads and processes, beside any number of requests.
 */
public final class CacheMaintenance {
  private final Directories directories;
  private final Workspace workspace;
  private final UsageRecorder recorder;
  private final DependencyChecks dependencies;
  private final Supplier<List<RemoteHealth>> remotes;

  /**
   * Creates the maintenance of {@code directories}.
   *
   * @param workspace has the user's own directory, where usage is counted
   * @param dependencies tells whether the dependencies of an entry are those of its compile
   * @param remotes asks the remotes
   */
  CacheMaintenance(
      Directories directories,
      Workspace workspace,
      UsageRecorder recorder,
      DependencyChecks dependencies,
      Supplier<List<RemoteHealth>> remotes) {
    this.directories = directories;
    this.workspace = workspace;
    this.recorder = recorder;
    this.dependencies = dependencies;
    this.remotes = remotes;
  }

  /**
   * {@return the root of the cache directory, which need not exist; empty if the disk is disabled
   * or there is no home directory for it}
   */
  public Optional<Path> directory() {
    return directories.own().map(DiskStore::root);
  }

  /**
   * {@return the roots of the layers that are read after the cache directory, in order} A
   * configured layer that does not exist or is not trusted is left out, with one warning.
   */
  public List<Path> layers() {
    return directories.layers().stream().filter(directories::isReadable).map(Layer::root).toList();
  }

  /**
   * {@return the records in the cache directory, ordered by target, label and source name; none if
   * there is no directory or it cannot be read} Records that are damaged or cannot be used are left
   * out.
   */
  public List<CacheEntry> entries() {
    return directory().map(this::entries).orElse(List.of());
  }

  /**
   * {@return the records in one of the directories that are read, ordered by target, label and
   * source name} Records that are damaged or cannot be used are left out.
   *
   * @param root the {@link #directory()} or a layer; one that cannot be used has none
   * @throws IllegalArgumentException if it is neither
   */
  public List<CacheEntry> entries(Path root) {
    requireNonNull(root, "root");
    return directories.entries(root).orElseThrow(() -> isNeither(root));
  }

  /**
   * {@return how many records of one of the directories that are read are damaged or cannot be
   * used, and so are not among its {@link #entries(Path)}} Reads every record.
   *
   * @param root the {@link #directory()} or a layer; one that cannot be used has none
   * @throws IllegalArgumentException if it is neither
   */
  public long unusableRecords(Path root) {
    requireNonNull(root, "root");
    return directories.unusable(root).orElseThrow(() -> isNeither(root));
  }

  private static IllegalArgumentException isNeither(Path root) {
    return new IllegalArgumentException(root + " is neither the directory nor a layer");
  }

  /**
   * {@return the code object of a record, verified; empty if it is missing or damaged} That does
   * not count as a use of the entry, and damaged files stay in place.
   *
   * @param entry a record of the cache directory or a layer; the first of them that has its code
   *     object gives it
   */
  public Optional<CodeObject> codeObject(CacheEntry entry) {
    requireNonNull(entry, "entry");
    return directories.codeObject(entry);
  }

  /**
   * {@return the toolchain's own files that the compile of an entry read, each with its digest at
   * that time; empty if the list is missing or damaged}
   *
   * @param entry a record of the cache directory or a layer; the first of them that has the list
   *     gives it
   */
  public Optional<List<Toolchain.File>> dependencies(CacheEntry entry) {
    requireNonNull(entry, "entry");
    return directories.dependencies(entry).map(DependencyList::files);
  }

  /**
   * {@return the state of the cache directory and the layers, as it is now} Reads every record. If
   * the cache directory exists, tries to write to it and to lock it; changes nothing else.
   */
  public CacheHealth health() {
    return new CacheHealth(
        directories.isDisabled(),
        store().map(StoreMaintenance::health),
        directories.layers().stream().map(Layer::health).toList(),
        workspace.memoDirectory(),
        workspace.fitStagingParent(),
        workspace.fault());
  }

  /**
   * {@return the state of each remote, as it is now; those that nothing here opens come last} Asks
   * one after the other, and waits for five seconds for one that does not answer. One that entries
   * are uploaded to gets a small value, {@code doctor}, which stays there.
   */
  @Experimental
  public List<RemoteHealth> remotes() {
    return remotes.get();
  }

  /**
   * Reads everything in the cache directory and then in each layer, on all processors, and reports
   * what is damaged, incomplete, left behind, or open to others. What this process or another adds,
   * replaces or removes meanwhile is no finding.
   *
   * @param listener is called for each file
   * @return what was read and what is wrong; nothing has been changed, so no finding is repaired
   */
  public Verification verify(MaintenanceListener listener) {
    requireNonNull(listener, "listener");
    return verify(
        listener,
        store -> directories.isOnlyRead() ? store.look(listener) : store.verify(listener));
  }

  /**
   * As {@link #verify}, and corrects what is wrong in the cache directory. A file that is closed to
   * others again is trusted from then on, whoever wrote it.
   *
   * @param listener is called for each file
   * @return what was read and what was wrong, with what is mended now; what is wrong in a layer
   *     stays
   */
  public Verification repair(MaintenanceListener listener) {
    requireNonNull(listener, "listener");
    return verify(listener, store -> store.repair(listener));
  }

  private Verification verify(
      MaintenanceListener listener, Function<StoreMaintenance, Verification> own) {
    List<Verification> parts = new ArrayList<>();
    store().map(own).ifPresent(parts::add);
    directories.layers().forEach(layer -> parts.add(layer.verify(listener)));
    return new Verification(
        parts.stream().flatMap(part -> part.directories().stream()).toList(),
        parts.stream().mapToLong(Verification::records).sum(),
        parts.stream().mapToLong(Verification::codeObjects).sum(),
        parts.stream().mapToLong(Verification::bytes).sum(),
        parts.stream().flatMap(part -> part.findings().stream()).toList());
  }

  /**
   * Chooses entries of the cache directory to remove; changes nothing yet. If no criterion is set,
   * the choice includes the probe caches, quarantined files and what killed writers left.
   *
   * @param criteria which entries to choose
   * @return the choice; empty if there is no cache directory
   * @throws UncheckedIOException if the cache directory cannot be read; the message says why
   * @throws ToolchainNotFoundException if stale entries are wanted and there is no compiler to tell
   *     which those are
   * @throws CompilationException if a compiler does not tell
   */
  public Optional<Clearing> clearing(ClearCriteria criteria) {
    requireNonNull(criteria, "criteria");
    Optional<DiskStore> store = existingStore();
    if (store.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Clearing(store.get(), plan(store.get().maintenance(), criteria)));
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    }
  }

  private RemovalPlan plan(StoreMaintenance store, ClearCriteria criteria) throws IOException {
    if (criteria.equals(ClearCriteria.EVERYTHING)) {
      return store.planAll();
    }
    return store.plan(
        store.usedEntries().stream()
            .filter(each -> criteria.match(each.entry(), each.unused()))
            .filter(each -> !criteria.stale() || dependencies.isStale(each.entry()))
            .toList());
  }

  /**
   * {@return what all processes have counted that use the user's own cache directory, and this
   * manager so far} Results that go into a layer or come from one are counted there, too. Writes
   * down first what this manager has counted.
   */
  public CacheUsage usage() {
    recorder.write();
    return CacheUsage.of(
        ownStore().map(StoreMaintenance::usage).orElse(new UsageTable(Long.MAX_VALUE)));
  }

  /** {@return how many damaged entries of the cache directory this manager has moved aside} */
  public long quarantined() {
    return directories.own().map(DiskStore::quarantined).orElse(0L);
  }

  /**
   * Deletes what all processes have counted.
   *
   * @throws UncheckedIOException if that fails; what was not deleted still counts
   */
  public void resetUsage() {
    recorder.write();
    try {
      Optional<StoreMaintenance> own = ownStore();
      if (own.isPresent()) {
        own.get().resetUsage();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("statistics cannot be reset: " + e.getMessage(), e);
    }
  }

  /**
   * {@return the disk usage of the probe caches of all hosts, as bytes of whole blocks; 0 if the
   * disk is not used}
   */
  public long probeCacheBytes() {
    return ownStore().map(StoreMaintenance::probeCacheBytes).orElse(0L);
  }

  /**
   * {@return the disk usage of compilers that were unpacked into the cache directory, as bytes of
   * whole blocks; 0 if the disk is not used} They count towards no limit, and {@link #clearing}
   * leaves them.
   */
  public long toolchainBytes() {
    return ownStore().map(StoreMaintenance::toolchainBytes).orElse(0L);
  }

  /**
   * {@return one line that says why the cache directory cannot be read or is not trusted; empty if
   * it can be read or does not exist}
   */
  public Optional<String> readFault() {
    return directories.own().flatMap(DiskStore::readFault);
  }

  /**
   * {@return one line that says why nothing can be added to or removed from the cache directory, as
   * far as that shows without trying; empty if it can be written or there is none}
   */
  public Optional<String> writeFault() {
    return directories.own().flatMap(DiskStore::writeFault);
  }

  /**
   * {@return the limits of the cache directory: the builder's, else the environment's, else {@link
   * CacheLimits#DEFAULT}}
   */
  public CacheLimits limits() {
    return directories.limits();
  }

  /**
   * Evicts what exceeds the {@linkplain #limits limits}: entries that went unused for too long, and
   * then, if the directory is still too large, the least recently used ones until a tenth of the
   * limit is free. Precompiled headers and quarantined files go in the same order; what no entry
   * needs goes first. Looks at each file, and reads each record if a limit is exceeded. Other users
   * of the directory are not held up; at worst they have a miss.
   *
   * <p>A manager that adds entries evicts by itself, in the background and at most once an hour,
   * except in a directory that it fills for others.
   *
   * @return what was removed
   * @throws UncheckedIOException if the directory cannot be read or written; nothing is removed
   */
  public CollectionResult collect() {
    return collect(() -> false);
  }

  /**
   * As {@link #collect()}, but can be stopped. The entry in hand is finished, so that no code
   * object is left without a record.
   *
   * @param stopped whether to stop; asked before each entry. The result leaves out what was not
   *     looked at by then.
   * @return what was removed
   * @throws UncheckedIOException as {@link #collect()}
   */
  public CollectionResult collect(BooleanSupplier stopped) {
    requireNonNull(stopped, "stopped");
    return collect(
        writeFault(),
        store -> {
          long start = System.nanoTime();
          CollectionResult result =
              store
                  .evictor()
                  .collect(limits().policy(), BackgroundEviction.evictable(store), stopped);
          directories.events().collected(result, Duration.ofNanos(System.nanoTime() - start));
          return result;
        });
  }

  /**
   * {@return what {@link #collect()} would remove now} Removes nothing.
   *
   * @throws UncheckedIOException if the directory cannot be read
   */
  public CollectionResult planCollection() {
    return collect(
        readFault(),
        store -> store.evictor().plan(limits().policy(), BackgroundEviction.evictable(store)));
  }

  private interface Eviction {
    CollectionResult run(StoreMaintenance store) throws IOException;
  }

  private CollectionResult collect(Optional<String> fault, Eviction eviction) {
    Optional<DiskStore> own = existingStore();
    if (own.isEmpty()) {
      return new CollectionResult(0, 0, 0, 0, Optional.empty());
    }
    requireNone(fault);
    try {
      return eviction.run(own.get().maintenance());
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  private Optional<StoreMaintenance> store() {
    return directories.own().map(DiskStore::maintenance);
  }

  private Optional<DiskStore> existingStore() {
    return directories.own().filter(DiskStore::exists);
  }

  /** Returns the user's own store, which is not the cache directory if that is for others. */
  private Optional<StoreMaintenance> ownStore() {
    return workspace.own().map(DiskStore::maintenance);
  }

  /** Throws a fault of the cache directory, if there is one. */
  static void requireNone(Optional<String> fault) {
    if (fault.isPresent()) {
      throw new UncheckedIOException(fault.get(), new IOException(fault.get()));
    }
  }
}
