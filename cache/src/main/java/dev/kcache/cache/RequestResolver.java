// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.Request;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.Toolchains;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Answers requests from the disk and the compiler, by the policy: which record may serve, when the
 * toolchain is asked, what is kept.
 *
 * <p>Safe for use by any number of threads. One compile per request across the processes of a
 * machine; across the threads of one manager its caller sees to that.
 */
final class RequestResolver {
  /** Bumped whenever the fields of a request or their meaning change. */
  private static final String SCHEMA = "kcache.request/1";

  private final CachePolicy policy;
  private final Toolchains toolchains;
  private final Directories directories;
  private final boolean recompile;
  private final Duration timeout;
  private final CompileEvents events;
  private final UsageCounters counters;
  private final Clock clock;
  private final DependencyChecks dependencies;
  private final Set<Bypass> bypasses = ConcurrentHashMap.newKeySet();
  private final Set<Digest> bypassedRequests = ConcurrentHashMap.newKeySet();

  /** A code object that is not to serve a request. */
  private record Bypass(Digest request, Digest codeObject) {}

  RequestResolver(
      CachePolicy policy,
      Toolchains toolchains,
      Directories directories,
      boolean recompile,
      Duration timeout,
      CompileEvents events,
      UsageCounters counters,
      LongSupplier nanoTime,
      Clock clock) {
    this.policy = policy;
    this.toolchains = toolchains;
    this.directories = directories;
    this.recompile = recompile;
    this.timeout = timeout;
    this.events = events;
    this.counters = counters;
    this.dependencies = new DependencyChecks(toolchains, directories, nanoTime);
    this.clock = clock;
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
        return new RequestKey(
            request(source, target, checkedLabel(present, requested)),
            present.identity(target, source.options().arguments()));
      } catch (ToolchainNotFoundException e) {
        if (requested.isEmpty()) {
          throw e;
        }
      }
    }
    ToolchainLabel label = requested.isPresent() ? requested.get().label() : presentLabel(platform);
    return new RequestKey(request(source, target, label), null);
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
  Optional<Resolved> find(RequestKey key) {
    return recompile ? Optional.empty() : onDisk(directories.find(key, new Servable(key)));
  }

  /** As {@link #find}, where only another process's compile can have changed the answer. */
  private Optional<Resolved> findCompiledMeanwhile(RequestKey key) {
    return recompile ? Optional.empty() : onDisk(directories.findOwn(key, new Servable(key)));
  }

  private Optional<Resolved> onDisk(Optional<StoredEntry> stored) {
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    CacheEntry entry = stored.get().entry();
    CacheResult result =
        new CacheResult(
            stored.get().codeObject(),
            CacheResult.Origin.DISK,
            entry.compileTime(),
            entry.log(),
            true);
    return Optional.of(new Resolved(result, counters.row(entry.target(), entry.source())));
  }

  /** Which records may serve a request. */
  private final class Servable implements Predicate<CacheEntry> {
    private final RequestKey key;

    Servable(RequestKey key) {
      this.key = key;
    }

    @Override
    public boolean test(CacheEntry entry) {
      return (bypasses.isEmpty()
              || !bypasses.contains(new Bypass(key.request().digest(), entry.codeObject())))
          && (key.toolchain() == null || dependencies.test(entry));
    }
  }

  /**
   * Never serves a request with a code object again, and keeps what the request is compiled to in
   * memory only. Returns whether that is new.
   */
  boolean bypass(RequestKey key, Digest codeObject) {
    bypassedRequests.add(key.request().digest());
    return bypasses.add(new Bypass(key.request().digest(), codeObject));
  }

  /** Returns the check whether what a record depends on has the same content still. */
  DependencyChecks dependencies() {
    return dependencies;
  }

  /**
   * Finds or compiles, holding the machine-wide lock of the request, so that of several processes
   * one compiles and the others find.
   */
  Resolved findOrCompile(RequestKey key, KernelSource source) throws InterruptedException {
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
      return own.get()
          .requestLock()
          .exclusively(key.request(), () -> findCompiledMeanwhile(key), () -> compile(key, source));
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("a compile throws no other checked exception", e);
    }
  }

  private Resolved compile(RequestKey key, KernelSource source) throws InterruptedException {
    Platform platform = key.request().target().processor().platform();
    Toolchain compiler = toolchains.of(platform);
    TargetId target = key.request().target();
    UsageCounters.Row usage = counters.row(target, source.name());
    checkedLabel(compiler, toolchains.requested(platform));
    toolchains.warnOfIgnoredFlags(platform);
    Digest identity = compiler.identity(target, source.options().arguments());
    log()
        .log(
            Level.DEBUG,
            () ->
                "compiling %s for %s with toolchain %s".formatted(source.name(), target, identity));
    events.started(key.request(), source.name());
    long start = System.nanoTime();
    boolean succeeded = false;
    Toolchain.Output output;
    try {
      output = compiler.compile(job(key.request(), source));
      succeeded = true;
    } finally {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      usage.compiled(elapsed, succeeded);
      events.finished(key.request(), source.name(), elapsed, succeeded);
    }
    toolchains.times().learn(source.name(), target, output.elapsed());
    DependencyList read = DependencyList.of(output.dependencies());
    String portable = PortableLog.of(output.log(), source);
    CacheEntry entry = entry(key.request(), source, identity, output, portable, read.digest());
    boolean kept = keep(entry, output, read, usage);
    CacheResult result =
        new CacheResult(
            output.codeObject(), CacheResult.Origin.COMPILED, output.elapsed(), output.log(), kept);
    return new Resolved(result, usage);
  }

  private boolean keep(
      CacheEntry entry, Toolchain.Output output, DependencyList read, UsageCounters.Row usage) {
    if (bypassedRequests.contains(entry.request())) {
      return false;
    }
    boolean kept = directories.keep(entry, output.codeObject(), read);
    if (!kept && !directories.isDisabled()) {
      usage.notKept();
    }
    return kept;
  }

  /** A version that was set and the compiler that is about to run have to agree. */
  private static ToolchainLabel checkedLabel(
      Toolchain present, Optional<RequestedLabel> requested) {
    ToolchainLabel label = present.label();
    if (requested.isPresent() && !requested.get().label().equals(label)) {
      throw new IllegalArgumentException(
          "%s=%s contradicts the compiler, which is %s; unset the variable or use that version"
              .formatted(requested.get().variable(), requested.get().value(), label));
    }
    return label;
  }

  private static Request request(KernelSource source, TargetId target, ToolchainLabel label) {
    Digest digest =
        Digest.builder()
            .text(SCHEMA)
            .text(source.digest().toString())
            .text(target.toString())
            .text(label.toString())
            .build();
    return new Request(digest, target, label);
  }

  private Toolchain.Job job(Request request, KernelSource source) {
    return new Toolchain.Job(
        request.digest(),
        source.name(),
        source.displayNames(),
        source.mainFile(),
        source.files(),
        source.includeDirectories(),
        request.target(),
        source.options().arguments(),
        timeout);
  }

  private CacheEntry entry(
      Request request,
      KernelSource source,
      Digest identity,
      Toolchain.Output output,
      String log,
      Digest dependencies) {
    return new CacheEntry(
        output.codeObject().digest(),
        output.codeObject().size(),
        output.codeObject().abiVersion(),
        source.name(),
        request.target(),
        request.label(),
        request.digest(),
        identity,
        source.options().arguments(),
        output.command(),
        log,
        output.elapsed(),
        clock.instant(),
        dependencies);
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(RequestResolver.class.getName());
  }
}
