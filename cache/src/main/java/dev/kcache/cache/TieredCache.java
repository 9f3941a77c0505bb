// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.callback.CallbackExecutor;
import dev.kcache.cache.callback.CallerFailures;
import dev.kcache.cache.store.Request;
import dev.kcache.cache.trace.TraceWriter;
import dev.kcache.cache.trace.TracedRequest;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KcacheException;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests from memory, from the class path, from the disk, from remotes and by the
 * compiler, in this order, and counts what each gave. The key of a request is made once, when
 * memory lacks it, and handed on.
 *
 * <p>Safe for use by any number of threads.
 */
final class TieredCache {
  private final MemoryTier memory;
  private final RequestResolver resolver;
  private final Workers workers;
  private final CallbackExecutor callbacks;
  private final UsageRecorder usage;
  private final Misses misses;
  private final @Nullable TraceWriter trace;
  private final CacheEvents events;

  /**
   * Creates the cache.
   *
   * @param trace writes down each request, unless it is null
   */
  TieredCache(
      MemoryTier memory,
      RequestResolver resolver,
      Workers workers,
      CallbackExecutor callbacks,
      UsageRecorder usage,
      Misses misses,
      @Nullable TraceWriter trace,
      CacheEvents events) {
    this.memory = memory;
    this.resolver = resolver;
    this.workers = workers;
    this.callbacks = callbacks;
    this.usage = usage;
    this.misses = misses;
    this.trace = trace;
    this.events = events;
  }

  /**
   * Returns the result for the first of the targets for which there is one; what is missing is
   * compiled for the last. Where no compiler makes that, code for a generic processor may serve.
   */
  CacheResult get(KernelSource source, Candidates wanted) {
    try {
      return result(source, lookUpOrMiss(source, wanted)).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled =
          new CancellationException("interrupted while waiting for " + source.name());
      cancelled.initCause(e);
      throw cancelled;
    } catch (ExecutionException e) {
      return fallBack(source, wanted, callersOwn(e));
    }
  }

  /** As {@link #get}. A hit in memory is complete when it is returned. */
  CompletableFuture<CacheResult> getAsync(KernelSource source, Candidates wanted) {
    try {
      CacheEvents.Lookup heard = events.lookup();
      CacheResult held = inMemory(source, wanted);
      if (held != null && heard != null) {
        heard.hit(source, held);
      }
      return held != null
          ? CompletableFuture.completedFuture(held)
          : getAsync(source, () -> wanted);
    } catch (InvalidKernelSourceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * As {@link #get}, for targets that may take a while to find. Looks up and compiles on the
   * manager's own threads; the callbacks of what this returns run elsewhere.
   */
  CompletableFuture<CacheResult> getAsync(KernelSource source, Supplier<Candidates> candidates) {
    return callbacks.deliver(
        workers
            .lookUp(
                () -> {
                  Candidates wanted = candidates.get();
                  return new Asked(wanted, lookUpOrMiss(source, wanted));
                })
            .thenCompose(
                asked ->
                    result(source, asked.lookup())
                        .exceptionallyCompose(
                            failure ->
                                workers.lookUp(
                                    () -> fallBack(source, asked.wanted(), callersOwn(failure))))));
  }

  private CompletableFuture<CacheResult> result(KernelSource source, Lookup lookup) {
    return lookup.found() != null
        ? CompletableFuture.completedFuture(lookup.found())
        : load(source, Objects.requireNonNull(lookup.missed()));
  }

  /** Returns what memory or the disk has; never compiles. */
  Optional<CodeObject> getIfPresent(KernelSource source, Candidates wanted) {
    CacheResult found = lookUp(source, wanted, true).found();
    if (found == null) {
      count(source, wanted.last(), null);
    }
    return Optional.ofNullable(found).map(CacheResult::codeObject);
  }

  /** As {@link dev.kcache.cache.device.DeviceRequests#bypass}. */
  void bypass(KernelSource source, CodeObject refused) {
    // Only the first of many callers that were refused it drops it: a new compile may be under way.
    if (resolver.classPath().bypass(source, refused)) {
      memory.remove(source.digest(), refused.digest());
    }
  }

  private record Asked(Candidates wanted, Lookup lookup) {}

  /** What memory and disk have: the result, or else the key of the last target. */
  private record Lookup(@Nullable CacheResult found, @Nullable RequestKey missed) {}

  /** As {@link #lookUp}, but once misses are refused, a missing compiler is no other failure. */
  private Lookup lookUpOrMiss(KernelSource source, Candidates wanted) {
    try {
      return lookUp(source, wanted, false);
    } catch (ToolchainNotFoundException | CompilationException e) {
      TargetId target = wanted.last();
      if (misses.isSealed()) {
        usage.row(target, source.name()).missed();
        throw misses.refused(source, target);
      }
      throw e;
    }
  }

  /**
   * Looks up, and tells who listens.
   *
   * @param last whether nothing follows, so that generic code serves where nothing can be compiled
   */
  private Lookup lookUp(KernelSource source, Candidates wanted, boolean last) {
    CacheEvents.Lookup heard = events.lookup();
    Lookup lookup;
    try {
      lookup = lookUpOrServeGeneric(source, wanted);
      if (last && lookup.found() == null) {
        lookup = new Lookup(secondChance(source, wanted, null).orElse(null), lookup.missed());
      }
    } catch (ToolchainNotFoundException | CompilationException e) {
      tell(heard, source, wanted, new Lookup(null, null));
      throw e;
    }
    tell(heard, source, wanted, lookup);
    return lookup;
  }

  private void tell(
      CacheEvents.@Nullable Lookup heard, KernelSource source, Candidates wanted, Lookup lookup) {
    if (heard != null && lookup.found() != null) {
      heard.hit(source, lookup.found());
    } else if (heard != null) {
      heard.miss(source, wanted.last(), lookup.missed(), misses.reason(lookup.missed()));
    }
  }

  private Lookup lookUpOrServeGeneric(KernelSource source, Candidates wanted) {
    try {
      return lookUpTargets(source, wanted);
    } catch (KcacheException e) {
      if (e instanceof ToolchainNotFoundException || e instanceof CompilationException) {
        trace(source, wanted.last(), false);
      }
      return new Lookup(instead(source, wanted, e), null);
    }
  }

  /** As {@link #instead}, where a request has been told to miss: tells of the hit. */
  private CacheResult fallBack(KernelSource source, Candidates wanted, RuntimeException failure) {
    CacheEvents.Lookup heard = events.lookup();
    CacheResult found = instead(source, wanted, failure);
    tell(heard, source, wanted, new Lookup(found, null));
    return found;
  }

  /** Returns what may serve instead of what could not be had; throws the reason if nothing does. */
  private CacheResult instead(KernelSource source, Candidates wanted, RuntimeException failure) {
    return secondChance(source, wanted, failure)
        .orElseThrow(
            () ->
                failure instanceof ToolchainNotFoundException && !wanted.exact()
                    ? withRemedy(failure, wanted.last())
                    : failure);
  }

  /** A container for running has no compiler, so one is not all that may be missing. */
  private static ToolchainNotFoundException withRemedy(RuntimeException failure, TargetId target) {
    String targets = target + target.generic().map(generic -> " or " + generic).orElse("");
    ToolchainNotFoundException missing =
        new ToolchainNotFoundException(
            failure.getMessage() + "; or prewarm the cache for " + targets);
    missing.initCause(failure);
    return missing;
  }

  private Optional<CacheResult> secondChance(
      KernelSource source, Candidates wanted, @Nullable RuntimeException failure) {
    for (TargetId generic : wanted.generic()) {
      Optional<CacheResult> found = resolver.classPath().find(source, generic);
      if (found.isPresent() && resolver.isForWantOfACompiler(source, failure, wanted.last())) {
        keep(source, new MemoryTier.Key(source.digest(), wanted.last(), true), found.get());
        RequestResolver.tellOfGeneric(wanted.last(), generic);
        return found;
      }
    }
    for (RequestKey key : resolver.secondChances(source, wanted, failure)) {
      Optional<CacheResult> found =
          onDisk(source, key, new MemoryTier.Key(source.digest(), wanted.last(), true));
      if (found.isPresent()) {
        trace(source, wanted.last(), false);
        RequestResolver.tellOfGeneric(wanted.last(), key.request().target());
        return found;
      }
    }
    for (TargetId generic : resolver.remoteChances(source, wanted, failure)) {
      Optional<CacheResult> found =
          remotely(source, generic, null, new MemoryTier.Key(source.digest(), wanted.last(), true));
      if (found.isPresent()) {
        trace(source, wanted.last(), false);
        RequestResolver.tellOfGeneric(wanted.last(), generic);
        return found;
      }
    }
    return Optional.empty();
  }

  private Lookup lookUpTargets(KernelSource source, Candidates wanted) {
    CacheResult held = inMemory(source, wanted);
    if (held != null) {
      return new Lookup(held, null);
    }
    resolver.readRevocations();
    for (TargetId target : wanted.targets()) {
      Optional<CacheResult> found = resolver.classPath().find(source, target);
      if (found.isPresent()) {
        keep(source, new MemoryTier.Key(source.digest(), target, false), found.get());
        return new Lookup(found.get(), null);
      }
    }
    RequestKey key = null;
    Map<TargetId, RequestKey> keys = new HashMap<>();
    ToolchainNotFoundException unknown = null;
    for (TargetId target : wanted.targets()) {
      try {
        key = resolver.key(source, target);
        keys.put(target, key);
      } catch (ToolchainNotFoundException e) {
        unknown = e;
        continue;
      }
      Optional<CacheResult> found = onDisk(source, key);
      if (found.isPresent()) {
        return new Lookup(found.get(), null);
      }
    }
    for (TargetId target : wanted.targets()) {
      for (RequestKey other : resolver.standIns(source, target)) {
        Optional<CacheResult> found = onDisk(source, other);
        if (found.isPresent()) {
          return new Lookup(found.get(), null);
        }
      }
    }
    for (TargetId target : wanted.targets()) {
      MemoryTier.Key inMemory = new MemoryTier.Key(source.digest(), target, false);
      Optional<CacheResult> found = remotely(source, target, keys.get(target), inMemory);
      if (found.isPresent()) {
        return new Lookup(found.get(), null);
      }
    }
    usage.workedOnDisk();
    if (unknown != null) {
      throw unknown;
    }
    return new Lookup(null, key);
  }

  private Optional<CacheResult> onDisk(KernelSource source, RequestKey key) {
    return onDisk(source, key, new MemoryTier.Key(source.digest(), key.request().target(), false));
  }

  private Optional<CacheResult> onDisk(
      KernelSource source, RequestKey key, MemoryTier.Key inMemory) {
    Optional<CacheResult> found = resolver.find(key);
    if (found.isPresent()) {
      keep(source, inMemory, found.get());
      usage.workedOnDisk();
    }
    return found;
  }

  /** Asked when no directory has anything for any of the targets: a network is slower than all. */
  private Optional<CacheResult> remotely(
      KernelSource source, TargetId target, @Nullable RequestKey key, MemoryTier.Key inMemory) {
    Optional<CacheResult> found = resolver.findRemotely(source, target, key);
    if (found.isPresent()) {
      keep(source, inMemory, found.get());
      usage.workedOnDisk();
    }
    return found;
  }

  private void keep(KernelSource source, MemoryTier.Key inMemory, CacheResult found) {
    count(source, found.codeObject().target(), found);
    memory.put(inMemory, found);
  }

  /** Returns what memory has for the first target for which it has anything, or null. */
  private @Nullable CacheResult inMemory(KernelSource source, Candidates wanted) {
    workers.ensureOpen();
    for (TargetId target : wanted.targets()) {
      CacheResult held = inMemory(source, target, false);
      if (held != null) {
        return held;
      }
    }
    return wanted.exact() ? null : inMemory(source, wanted.last(), true);
  }

  private @Nullable CacheResult inMemory(
      KernelSource source, TargetId target, boolean secondChance) {
    CacheResult held =
        memory.getIfPresent(new MemoryTier.Key(source.digest(), target, secondChance));
    if (held == null) {
      return null;
    }
    usage.row(secondChance ? held.codeObject().target() : target, source.name()).memoryHit();
    return held.from(CacheResult.Origin.MEMORY);
  }

  private CompletableFuture<CacheResult> load(KernelSource source, RequestKey key) {
    TargetId target = key.request().target();
    return memory
        .get(
            new MemoryTier.Key(source.digest(), target, false),
            () ->
                workers.compile(
                    () -> {
                      misses.check(source, target);
                      return compile(source, key);
                    }))
        .whenComplete((result, failure) -> count(source, target, result));
  }

  private CacheResult compile(KernelSource source, RequestKey key) throws InterruptedException {
    Request request = key.request();
    CacheEvents.Compile heard = events.compile(source, request.target(), request.label());
    CacheResult result;
    try {
      result = resolver.findOrCompile(key, source);
    } catch (InterruptedException | RuntimeException | Error e) {
      heard.failed(e);
      throw e;
    }
    heard.finished(result);
    return result;
  }

  /**
   * Counts a hit on the disk, the class path included, or in a remote, also one that another
   * process compiled meanwhile, or else a miss.
   */
  private void count(KernelSource source, TargetId target, @Nullable CacheResult result) {
    UsageRecorder.Row row = usage.row(target, source.name());
    if (result != null && result.origin() != CacheResult.Origin.COMPILED) {
      if (result.origin() == CacheResult.Origin.REMOTE) {
        row.remoteHit(result.compileTime());
      } else {
        row.diskHit(result.compileTime());
      }
      trace(source, target, true);
    } else {
      row.missed();
      trace(source, target, false);
    }
  }

  /** What memory holds was traced when it came there. */
  private void trace(KernelSource source, TargetId target, boolean hit) {
    if (trace != null) {
      trace.add(
          new MemoryTier.Key(source.digest(), target, false),
          () ->
              new TraceWriter.Traced(
                  new TracedRequest(RequestKey.describe(source, target), hit), source.contents()));
    }
  }

  /** Returns what the compile threw, as an exception of one caller. */
  private static RuntimeException callersOwn(Throwable thrown) {
    boolean wrapped = thrown instanceof ExecutionException || thrown instanceof CompletionException;
    Throwable cause = wrapped && thrown.getCause() != null ? thrown.getCause() : thrown;
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException exception
        ? CallerFailures.own(exception)
        : new IllegalStateException(cause);
  }
}
