// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.EntryDirectory;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.Toolchains;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Answers requests from the disk and the compiler, by the policy: which record may serve, when the
 * toolchain is asked, what is compiled.
 *
 * <p>Safe for use by any number of threads. One compile per request across the processes of a
 * machine; across the threads of one manager its caller sees to that.
 */
final class RequestResolver {
  private final CachePolicy policy;
  private final boolean recompile;
  private final Toolchains toolchains;
  private final Directories directories;
  private final DependencyChecks dependencies;
  private final CompileTask compiles;

  /** The code objects that are not to serve a request, by the request's digest. */
  private final Map<Digest, Set<Digest>> bypassed = new ConcurrentHashMap<>();

  RequestResolver(
      CachePolicy policy,
      boolean recompile,
      Toolchains toolchains,
      Directories directories,
      DependencyChecks dependencies,
      CompileTask compiles) {
    this.policy = policy;
    this.recompile = recompile;
    this.toolchains = toolchains;
    this.directories = directories;
    this.dependencies = dependencies;
    this.compiles = compiles;
  }

  /**
   * Returns the key of a source for a target. Under {@link CachePolicy#AUTO} the toolchain that is
   * present decides; without one, a configured label is enough to find what others made.
   */
  RequestKey key(KernelSource source, TargetId target) {
    Platform platform = target.processor().platform();
    Optional<RequestedLabel> requested = toolchains.requested(platform);
    if (policy == CachePolicy.AUTO) {
      try {
        Toolchain present = toolchains.of(platform);
        return RequestKey.of(
            source,
            target,
            checkedLabel(present, requested),
            present.identity(target, source.options().arguments()));
      } catch (ToolchainNotFoundException e) {
        if (requested.isEmpty()) {
          throw e;
        }
      }
    }
    ToolchainLabel label =
        requested.map(RequestedLabel::label).orElseGet(() -> presentLabel(platform));
    return RequestKey.of(source, target, label, null);
  }

  private ToolchainLabel presentLabel(Platform platform) {
    try {
      return toolchains.of(platform).label();
    } catch (ToolchainNotFoundException e) {
      ToolchainNotFoundException unknown =
          new ToolchainNotFoundException(
              e.getMessage()
                  + "; or set "
                  + (platform == Platform.AMD ? "ROCM_VERSION" : "CUDA_VERSION")
                  + " to the version whose entries are to be used");
      unknown.initCause(e);
      throw unknown;
    }
  }

  /** Returns what the disk has, verified; empty when everything is to be compiled anew. */
  Optional<CacheResult> find(RequestKey key) {
    return find(key, directories.all());
  }

  private Optional<CacheResult> find(RequestKey key, List<EntryDirectory> searched) {
    for (EntryDirectory directory : recompile ? List.<EntryDirectory>of() : searched) {
      if (directories.isReadable(directory)) {
        Optional<StoredEntry> found =
            records(key, directory).stream()
                .filter(record -> mayServe(key, record))
                .flatMap(record -> directory.load(record).stream())
                .findFirst();
        directories.report(directory, key, found);
        if (found.isPresent()) {
          return found.map(RequestResolver::result);
        }
      }
    }
    return Optional.empty();
  }

  private static List<CacheEntry> records(RequestKey key, EntryDirectory directory) {
    return key.toolchain() == null
        ? directory.records(key.request())
        : directory.record(key.request(), key.toolchain()).map(List::of).orElse(List.of());
  }

  private boolean mayServe(RequestKey key, CacheEntry record) {
    return !bypassed.getOrDefault(record.request(), Set.of()).contains(record.codeObject())
        && (key.toolchain() == null || dependencies.areCurrent(record));
  }

  private static CacheResult result(StoredEntry found) {
    CacheEntry record = found.entry();
    return new CacheResult(
        found.codeObject(), CacheResult.Origin.DISK, record.compileTime(), record.log(), true);
  }

  /**
   * Never serves a request with a code object again, and keeps what the request is compiled to in
   * memory only. Returns whether that is new.
   */
  boolean bypass(RequestKey key, Digest codeObject) {
    return bypassed
        .computeIfAbsent(key.request().digest(), request -> ConcurrentHashMap.newKeySet())
        .add(codeObject);
  }

  /**
   * Finds or compiles, holding the machine-wide lock of the request, so that of several processes
   * one compiles and the others find.
   */
  CacheResult findOrCompile(RequestKey key, KernelSource source) throws InterruptedException {
    if (policy == CachePolicy.SEALED) {
      throw new CacheMissException(
          "%s for %s with toolchain %s is not in the cache, and KCACHE_POLICY=sealed forbids to compile it; prewarm it"
              .formatted(source.name(), key.request().target(), key.request().label()));
    }
    Optional<DiskStore> own = directories.own();
    if (own.isEmpty()) {
      return compile(key, source);
    }
    try {
      // Only another process's compile can have changed the answer, and it went to this directory.
      return own.get()
          .requestLock()
          .exclusively(
              key.request(), () -> find(key, List.of(own.get())), () -> compile(key, source));
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("a compile throws no other checked exception", e);
    }
  }

  private CacheResult compile(RequestKey key, KernelSource source) throws InterruptedException {
    return compiles.run(key, source, !bypassed.containsKey(key.request().digest()));
  }

  /** Returns the compiler's label; throws if a version is set that contradicts it. */
  static ToolchainLabel checkedLabel(Toolchain present, Optional<RequestedLabel> requested) {
    ToolchainLabel label = present.label();
    if (requested.isPresent() && !requested.get().label().equals(label)) {
      throw new IllegalArgumentException(
          "%s=%s contradicts the compiler, which is %s; unset the variable or use that version"
              .formatted(requested.get().variable(), requested.get().value(), label));
    }
    return label;
  }
}
