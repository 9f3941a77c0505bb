// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.callback.CallbackExecutor;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests from memory, from the disk and by the compiler, in this order, and counts what
 * each gave. The key of a request is made once, when memory lacks it, and handed on.
 *
 * <p>Safe for use by any number of threads.
 */
final class TieredCache {
  private final MemoryTier memory;
  private final RequestResolver resolver;
  private final Workers workers;
  private final CallbackExecutor callbacks;
  private final UsageRecorder usage;

  TieredCache(
      MemoryTier memory,
      RequestResolver resolver,
      Workers workers,
      CallbackExecutor callbacks,
      UsageRecorder usage) {
    this.memory = memory;
    this.resolver = resolver;
    this.workers = workers;
    this.callbacks = callbacks;
    this.usage = usage;
  }

  /**
   * Returns the result for the first of the targets for which there is one; what is missing is
   * compiled for the last.
   */
  CacheResult get(KernelSource source, List<TargetId> targets) {
    try {
      return result(source, lookUp(source, targets)).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled =
          new CancellationException("interrupted while waiting for " + source.name());
      cancelled.initCause(e);
      throw cancelled;
    } catch (ExecutionException e) {
      throw unwrapped(e);
    }
  }

  /** As {@link #get}. A hit in memory is complete when it is returned. */
  CompletableFuture<CacheResult> getAsync(KernelSource source, List<TargetId> targets) {
    try {
      CacheResult held = inMemory(source, targets);
      return held != null
          ? CompletableFuture.completedFuture(held)
          : getAsync(source, () -> targets);
    } catch (InvalidKernelSourceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * As {@link #get}, for targets that may take a while to find. Looks up and compiles on the
   * manager's own threads; the callbacks of what this returns run elsewhere.
   */
  CompletableFuture<CacheResult> getAsync(KernelSource source, Supplier<List<TargetId>> targets) {
    return callbacks.deliver(
        workers
            .lookUp(() -> lookUp(source, targets.get()))
            .thenCompose(lookup -> result(source, lookup)));
  }

  private CompletableFuture<CacheResult> result(KernelSource source, Lookup lookup) {
    return lookup.found() != null
        ? CompletableFuture.completedFuture(lookup.found())
        : load(source, Objects.requireNonNull(lookup.missed()));
  }

  /** Returns what memory or the disk has; never compiles. */
  Optional<CodeObject> getIfPresent(KernelSource source, List<TargetId> targets) {
    CacheResult found = lookUp(source, targets).found();
    if (found == null) {
      usage.row(Targets.last(targets), source.name()).missed();
    }
    return Optional.ofNullable(found).map(CacheResult::codeObject);
  }

  /** As {@link CacheManager#bypass}. */
  void bypass(KernelSource source, CodeObject refused) {
    // Only the first of many callers that were refused it drops it: a new compile may be under way.
    if (resolver.bypass(resolver.key(source, refused.target()), refused.digest())) {
      memory.remove(new MemoryTier.Key(source.digest(), refused.target()), refused.digest());
    }
  }

  /** What memory and disk have: the result, or else the key of the last target. */
  private record Lookup(@Nullable CacheResult found, @Nullable RequestKey missed) {}

  private Lookup lookUp(KernelSource source, List<TargetId> targets) {
    CacheResult held = inMemory(source, targets);
    if (held != null) {
      return new Lookup(held, null);
    }
    RequestKey key = null;
    ToolchainNotFoundException unknown = null;
    for (TargetId target : targets) {
      try {
        key = resolver.key(source, target);
      } catch (ToolchainNotFoundException e) {
        unknown = e;
        continue;
      }
      Optional<Lookup> found = onDisk(source, key);
      if (found.isPresent()) {
        return found.get();
      }
    }
    for (TargetId target : targets) {
      for (RequestKey other : resolver.standIns(source, target)) {
        Optional<Lookup> found = onDisk(source, other);
        if (found.isPresent()) {
          return found.get();
        }
      }
    }
    usage.workedOnDisk();
    if (unknown != null) {
      throw unknown;
    }
    return new Lookup(null, key);
  }

  private Optional<Lookup> onDisk(KernelSource source, RequestKey key) {
    Optional<CacheResult> found = resolver.find(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    TargetId target = key.request().target();
    count(source, target, found.get());
    memory.put(new MemoryTier.Key(source.digest(), target), found.get());
    usage.workedOnDisk();
    return Optional.of(new Lookup(found.get(), null));
  }

  /** Returns what memory has for the first target for which it has anything, or null. */
  private @Nullable CacheResult inMemory(KernelSource source, List<TargetId> targets) {
    workers.ensureOpen();
    for (TargetId target : targets) {
      CacheResult held = memory.getIfPresent(new MemoryTier.Key(source.digest(), target));
      if (held != null) {
        usage.row(target, source.name()).memoryHit();
        return held.from(CacheResult.Origin.MEMORY);
      }
    }
    return null;
  }

  private CompletableFuture<CacheResult> load(KernelSource source, RequestKey key) {
    TargetId target = key.request().target();
    return memory
        .get(
            new MemoryTier.Key(source.digest(), target),
            () -> workers.compile(() -> resolver.findOrCompile(key, source)))
        .whenComplete((result, failure) -> count(source, target, result));
  }

  /** Counts a disk hit, also one that another process compiled meanwhile, or else a miss. */
  private void count(KernelSource source, TargetId target, @Nullable CacheResult result) {
    UsageRecorder.Row row = usage.row(target, source.name());
    if (result != null && result.origin() == CacheResult.Origin.DISK) {
      row.diskHit(result.compileTime());
    } else {
      row.missed();
    }
  }

  private static RuntimeException unwrapped(ExecutionException e) {
    Throwable cause = e.getCause();
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException exception
        ? exception
        : new IllegalStateException(cause);
  }
}
