// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.stream.Collectors.toSet;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.EntryDirectory;
import dev.kcache.cache.store.FileOperations;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The directories of a manager: its own, which is read and written, and below it the layers, which
 * are only read, in their order. One that cannot be used costs a warning in a process, and is
 * passed over.
 *
 * <p>Safe for use by any number of threads.
 */
final class Directories {
  private static final int MOST_LOOKED_AT = 10_000;

  private final boolean disabled;
  private final Optional<DiskStore> own;
  private final List<Layer> layers;
  private final List<EntryDirectory> all;
  private final boolean tellsDecisions;
  private final CacheLimits limits;
  private final CacheEvents events;
  private final BackgroundEviction evictions;
  private volatile boolean onlyRead;

  /** The requests of which the entry was looked at, and the layers. */
  private final Set<Object> lookedAt = ConcurrentHashMap.newKeySet();

  /**
   * Opens each directory once, whatever its names; none if the settings disable the disk.
   *
   * @param files returns the steps as they are taken in a directory
   * @param signatures the keys that sign what is kept, and are asked for
   * @param events hears of evictions
   * @param tellsDecisions whether each hit and miss is logged, at level DEBUG; to ask a logger
   *     whether it wants that takes longer than all else of a process's first hit
   */
  Directories(
      CacheSettings settings,
      Function<Path, FileOperations> files,
      SignaturePolicy signatures,
      CacheEvents events,
      boolean tellsDecisions) {
    this.tellsDecisions = tellsDecisions;
    disabled = settings.disabled();
    limits = settings.limits();
    this.events = events;
    evictions = new BackgroundEviction(limits, events);
    own =
        disabled
            ? Optional.empty()
            : settings
                .directory()
                .map(
                    root -> DiskStore.open(root, settings.access(), files.apply(root), signatures));
    Set<Path> known = new HashSet<>();
    own.ifPresent(store -> known.add(identity(store.root())));
    layers =
        (disabled ? Stream.<Path>of() : settings.layers().stream())
            .filter(root -> known.add(identity(root)))
            .map(root -> Layer.in(root, signatures))
            .toList();
    all = Stream.<EntryDirectory>concat(own.stream(), layers.stream()).toList();
  }

  private static Path identity(Path root) {
    try {
      return root.toRealPath();
    } catch (IOException e) {
      return root.toAbsolutePath().normalize();
    }
  }

  Optional<DiskStore> own() {
    return own;
  }

  CacheEvents events() {
    return events;
  }

  CacheLimits limits() {
    return limits;
  }

  /** Returns all configured layers, those that cannot be read included. */
  List<Layer> layers() {
    return layers;
  }

  /** Returns all of them, in the order in which they are read. */
  List<EntryDirectory> all() {
    return all;
  }

  boolean isDisabled() {
    return disabled;
  }

  /** Has the own directory only read from now on. */
  void readOnly() {
    onlyRead = true;
  }

  boolean isOnlyRead() {
    return onlyRead;
  }

  /** Returns whether a directory can be read; warns if it can't. */
  boolean isReadable(EntryDirectory directory) {
    boolean readable = directory.isReadable();
    if (!readable) {
      directory.fault().ifPresent(fault -> warn(directory.root(), fault));
    }
    return readable;
  }

  /** Returns those that can be read, as layers: to read them notes no use and moves nothing. */
  List<Layer> asLayers() {
    return readable().map(EntryDirectory::asLayer).toList();
  }

  private Stream<EntryDirectory> readable() {
    return all.stream().filter(this::isReadable);
  }

  /** Returns the records of one of these directories; nothing if it is none of them. */
  Optional<List<CacheEntry>> entries(Path root) {
    return at(root).map(directory -> isReadable(directory) ? directory.entries() : List.of());
  }

  /** Returns how many records of one of these directories are damaged, or cannot be used. */
  Optional<Long> unusable(Path root) {
    return at(root).map(EntryDirectory::unusable);
  }

  private Optional<EntryDirectory> at(Path root) {
    return all.stream().filter(directory -> directory.root().equals(root)).findFirst();
  }

  /** As {@link EntryDirectory#labels}, of all of them. */
  Set<ToolchainLabel> labels(KernelSource source, TargetId target) {
    return labels(RequestKey.digest(source, target), target);
  }

  /** As {@link EntryDirectory#labels}, of all of them. */
  Set<ToolchainLabel> labels(Digest request, TargetId target) {
    return readable()
        .flatMap(directory -> directory.labels(request, target).stream())
        .collect(toSet());
  }

  /** Returns the code object of a record, from the first directory that has both and verified. */
  Optional<CodeObject> codeObject(CacheEntry entry) {
    return readable()
        .flatMap(directory -> directory.peek(entry).stream())
        .map(StoredEntry::codeObject)
        .findFirst();
  }

  /** Returns the list of dependencies that a record names, from the first directory that has it. */
  Optional<DependencyList> dependencies(CacheEntry entry) {
    return readable().flatMap(directory -> directory.dependencies(entry).stream()).findFirst();
  }

  /** Keeps a result for later processes; returns whether that was possible. */
  boolean keep(CacheEntry entry, CodeObject code, DependencyList... lists) {
    return keep(entry, code.size(), store -> store.put(entry, code, lists));
  }

  /** As {@link #keep}, of what a remote has: it keeps its bytes and signatures. */
  boolean keepFetched(StoredEntry stored, SignedRecord text, DependencyList... lists) {
    return keep(
        stored.entry(), stored.codeObject().size(), store -> store.putFetched(stored, text, lists));
  }

  /** Puts an entry into a store. */
  private interface Put {
    void into(DiskStore store) throws IOException;
  }

  private boolean keep(CacheEntry entry, long size, Put put) {
    if (onlyRead) {
      return false;
    }
    if (own.isEmpty()) {
      if (!disabled) {
        Notices.warn(
            log(), "compiled kernels are not kept: there is no home directory; set KCACHE_DIR");
      }
      return false;
    }
    DiskStore store = own.get();
    try {
      put.into(store);
    } catch (IOException e) {
      warn(store.root(), "compiled kernels cannot be kept: " + store.complaint(e));
      return false;
    }
    log().log(Level.DEBUG, () -> "stored %s as %s".formatted(entry.source(), entry.codeObject()));
    warnIfConcealed(store, entry);
    evictions.added(store, size);
    return true;
  }

  /** Lets what goes on in the background end, for some seconds, and closes packs. */
  void close() {
    evictions.close();
    own.ifPresent(DiskStore::settle);
    layers.forEach(Layer::close);
  }

  /** Says what a lookup in a directory found, where anybody wants to know. */
  void report(EntryDirectory directory, RequestKey key, Optional<StoredEntry> found) {
    if (tellsDecisions) {
      log()
          .log(
              Level.DEBUG,
              "%s in %s: request %s for %s with %s, toolchain %s"
                  .formatted(
                      found.isPresent() ? "hit" : "miss",
                      directory.root(),
                      key.request().digest(),
                      key.request().target(),
                      key.request().label(),
                      key.toolchain() == null ? "any" : key.toolchain()));
    }
    if (directory instanceof DiskStore store && found.isPresent()) {
      warnIfConcealed(store, found.get().entry());
    } else if (directory instanceof Layer layer && found.isEmpty() && lookedAt.add(layer.root())) {
      // Looked at once: what a layer was filled with seldom changes.
      layer.outdated().ifPresent(problem -> Notices.warn(log(), problem));
    }
  }

  /** Looks at each entry once: what was open to others, or was closed, seldom changes. */
  private void warnIfConcealed(DiskStore store, CacheEntry entry) {
    if (!store.isForOthers() || !lookedAt.add(entry.request())) {
      return;
    }
    if (lookedAt.size() > MOST_LOOKED_AT) {
      lookedAt.clear();
    }
    store.accessFault(entry).ifPresent(problem -> Notices.warn(log(), problem));
  }

  /** Warns of a directory once in a process, whatever the problem is: it seldom comes alone. */
  private static void warn(Path root, String problem) {
    Notices.warn(log(), root.toString(), problem);
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(Directories.class.getName());
  }
}
