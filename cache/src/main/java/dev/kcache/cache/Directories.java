// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.DirectoryWarnings.Kind;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.EntryDirectory;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.Request;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The directories of a manager: its own, which is read and written, and below it the layers, which
 * are only read, in their order. One that cannot be used costs a warning in a process, and is
 * passed over.
 *
 * <p>Safe for use by any number of threads.
 */
final class Directories {
  private static final int MOST_LOOKED_AT = 10_000;

  /** Stands for the directory that there is no place for. */
  private static final Path NOWHERE = Path.of("");

  private final Optional<DiskStore> own;
  private final List<Layer> layers;
  private final boolean tellsDecisions;
  private final boolean isDisabled;
  private final CacheLimits limits;
  private final Set<Digest> lookedAt = ConcurrentHashMap.newKeySet();
  private final BackgroundEviction evictions;

  private Directories(
      Optional<DiskStore> own,
      List<Layer> layers,
      boolean tellsDecisions,
      boolean isDisabled,
      CacheLimits limits) {
    this.own = own;
    this.layers = layers;
    this.tellsDecisions = tellsDecisions;
    this.isDisabled = isDisabled;
    this.limits = limits;
    evictions = new BackgroundEviction(limits);
  }

  /** Returns no directories, as somebody wishes: nothing is kept, and nothing said of it. */
  static Directories none() {
    return new Directories(Optional.empty(), List.of(), false, true, CacheLimits.DEFAULT);
  }

  /**
   * Returns directories of which each is there once, whatever its names.
   *
   * @param tellsDecisions whether each hit and miss is logged, at level DEBUG; to ask a logger
   *     whether it wants that takes longer than all else of a process's first hit
   * @param limits of the manager's own
   */
  static Directories of(
      Optional<DiskStore> own, List<Path> layers, boolean tellsDecisions, CacheLimits limits) {
    Set<Path> known = new HashSet<>();
    if (own.isPresent()) {
      known.add(identity(own.get().root()));
    }
    List<Layer> read = new ArrayList<>();
    for (Path root : layers) {
      if (known.add(identity(root))) {
        read.add(Layer.in(root));
      }
    }
    return new Directories(own, List.copyOf(read), tellsDecisions, false, limits);
  }

  Optional<DiskStore> own() {
    return own;
  }

  /** Returns what the manager's own directory may hold. */
  CacheLimits limits() {
    return limits;
  }

  /** Returns the layers that can be read. */
  List<Layer> layers() {
    return layers.stream().filter(this::isReadable).toList();
  }

  /** Returns all configured layers, those that cannot be read included. */
  List<Layer> configuredLayers() {
    return layers;
  }

  /** Returns the records of one of these directories; nothing if it is none of them. */
  Optional<List<CacheEntry>> entries(Path root) {
    for (EntryDirectory directory : all()) {
      if (directory.root().equals(root)) {
        return Optional.of(isReadable(directory) ? directory.entries() : List.of());
      }
    }
    return Optional.empty();
  }

  /** Returns the code object of a record, from the first directory that has both and verified. */
  Optional<CodeObject> codeObject(CacheEntry entry) {
    for (EntryDirectory directory : all()) {
      if (isReadable(directory)) {
        Optional<StoredEntry> stored =
            directory
                .record(Request.of(entry), entry.toolchain())
                .filter(entry::equals)
                .flatMap(directory::load);
        if (stored.isPresent()) {
          return stored.map(StoredEntry::codeObject);
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the list of dependencies that a record names, from the first directory that has it. */
  Optional<DependencyList> dependencies(CacheEntry entry) {
    for (EntryDirectory directory : all()) {
      if (isReadable(directory)) {
        Optional<DependencyList> dependencies = directory.dependencies(entry);
        if (dependencies.isPresent()) {
          return dependencies;
        }
      }
    }
    return Optional.empty();
  }

  /** Returns whether nothing is to be kept. */
  boolean isDisabled() {
    return isDisabled;
  }

  /** Keeps a result for later processes; returns whether that was possible. */
  boolean keep(CacheEntry entry, CodeObject code, DependencyList... lists) {
    if (own.isPresent()) {
      return keep(own.get(), entry, code, lists);
    }
    if (!isDisabled) {
      warn(NOWHERE, "compiled kernels are not kept: there is no home directory; set KCACHE_DIR");
    }
    return false;
  }

  private boolean keep(
      DiskStore store, CacheEntry entry, CodeObject code, DependencyList... lists) {
    try {
      store.put(entry, code, lists);
      log().log(Level.DEBUG, () -> "stored %s as %s".formatted(entry.source(), entry.codeObject()));
      warnIfConcealed(store, entry);
      evictions.added(store, code.size());
      return true;
    } catch (IOException e) {
      warn(store.root(), "compiled kernels cannot be kept: " + store.complaint(e));
      return false;
    }
  }

  /** Lets what goes on in the background end, for some seconds. */
  void close() {
    evictions.close();
    own.ifPresent(DiskStore::settle);
  }

  /** Says what a lookup in a directory found, where anybody wants to know. */
  void report(EntryDirectory directory, RequestKey key, Optional<StoredEntry> found) {
    if (tellsDecisions) {
      tell(directory, key, found.isPresent());
    }
    if (directory instanceof DiskStore store && found.isPresent()) {
      warnIfConcealed(store, found.get().entry());
    } else if (directory instanceof Layer layer && found.isEmpty()) {
      warnIfOutdated(layer);
    }
  }

  private static void tell(EntryDirectory directory, RequestKey key, boolean hit) {
    log()
        .log(
            Level.DEBUG,
            () ->
                "%s in %s: request %s for %s with %s, toolchain %s"
                    .formatted(
                        hit ? "hit" : "miss",
                        directory.root(),
                        key.request().digest(),
                        key.request().target(),
                        key.request().label(),
                        key.toolchain() == null ? "any" : key.toolchain()));
  }

  /** Returns all of them, in the order in which they are read. */
  List<EntryDirectory> all() {
    List<EntryDirectory> all = new ArrayList<>(layers);
    if (own.isPresent()) {
      all.add(0, own.get());
    }
    return all;
  }

  /** Returns whether a directory can be read; warns if it can't. */
  boolean isReadable(EntryDirectory directory) {
    boolean readable = directory.isReadable();
    if (!readable) {
      directory.fault().ifPresent(fault -> warn(directory.root(), fault));
    }
    return readable;
  }

  /** Looks at each entry once: what was open to others, or was closed, seldom changes. */
  private void warnIfConcealed(DiskStore store, CacheEntry entry) {
    if (!store.isForOthers() || !lookedAt.add(entry.request())) {
      return;
    }
    if (lookedAt.size() > MOST_LOOKED_AT) {
      lookedAt.clear();
    }
    Optional<String> problem = store.accessFault(entry);
    if (problem.isPresent() && DirectoryWarnings.isNew(Kind.CONCEALED, store.root())) {
      log().log(Level.WARNING, problem.get());
    }
  }

  /** Looks once: what a layer was filled with seldom changes. */
  private static void warnIfOutdated(Layer layer) {
    if (DirectoryWarnings.isNew(Kind.OUTDATED, layer.root())) {
      layer.outdated().ifPresent(problem -> log().log(Level.WARNING, problem));
    }
  }

  private static void warn(Path root, String problem) {
    if (DirectoryWarnings.isNew(Kind.UNUSABLE, root)) {
      log().log(Level.WARNING, problem);
    }
  }

  private static Path identity(Path root) {
    try {
      return root.toRealPath();
    } catch (IOException e) {
      return root.toAbsolutePath().normalize();
    }
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(Directories.class.getName());
  }
}
