// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.driver.Toolchains;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Compiles what is missing: runs the compiler, tells the listener, counts, and keeps the result.
 *
 * <p>Safe for use by any number of threads. Its caller holds the request's lock.
 */
final class CompileTask {
  private final Toolchains toolchains;
  private final Directories directories;
  private final Duration timeout;
  private final CompileEvents events;
  private final UsageRecorder usage;
  private final Clock clock;

  /** The compiler of a compile, as its record names it. */
  private record Maker(Digest identity, DependencyList files, String description) {
    static Maker of(Toolchain compiler, TargetId target, List<String> options) {
      return new Maker(
          compiler.identity(target, options),
          DependencyList.of(compiler.identityFiles(target, options)),
          compiler.describe());
    }
  }

  CompileTask(
      Toolchains toolchains,
      Directories directories,
      Duration timeout,
      CompileEvents events,
      UsageRecorder usage,
      Clock clock) {
    this.toolchains = toolchains;
    this.directories = directories;
    this.timeout = timeout;
    this.events = events;
    this.usage = usage;
    this.clock = clock;
  }

  /**
   * Compiles a source and keeps the result in the manager's directory.
   *
   * @param key names the compiler
   * @param keep whether to keep it at all
   */
  CacheResult run(RequestKey key, KernelSource source, boolean keep) throws InterruptedException {
    Toolchain compiler = Objects.requireNonNull(key.compiler());
    TargetId target = key.request().target();
    UsageRecorder.Row counts = usage.row(target, source.name());
    toolchains.warnOfIgnoredFlags(target.processor().platform());
    // Asked now, not taken from the key: that may have been minutes ago.
    Maker maker = Maker.of(compiler, target, source.options().arguments());
    log()
        .log(
            Level.DEBUG,
            () ->
                "compiling %s for %s with toolchain %s"
                    .formatted(source.name(), target, maker.identity()));
    events.started(key.request(), source.name());
    long start = System.nanoTime();
    Toolchain.Output output = null;
    Map<String, String> instances;
    try {
      Toolchain.Output made = compiler.compile(job(key.request(), source));
      instances = source.instantiations().names(source.name(), made);
      output = made;
    } finally {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      counts.compiled(output != null ? output.elapsed() : elapsed, output != null);
      events.finished(key.request(), source.name(), elapsed, output != null);
    }
    DependencyList read = DependencyList.of(output.dependencies());
    String portable = portable(output.log(), source);
    CacheEntry entry =
        entry(key.request(), source, maker, output, portable, read.digest(), instances);
    boolean kept = keep && keep(entry, output, read, maker.files(), counts);
    return new CacheResult(
        output.codeObject(),
        CacheResult.Origin.COMPILED,
        output.elapsed(),
        output.log(),
        kept,
        instances);
  }

  private boolean keep(
      CacheEntry entry,
      Toolchain.Output output,
      DependencyList read,
      DependencyList toolchainFiles,
      UsageRecorder.Row counts) {
    boolean kept = directories.keep(entry, output.codeObject(), read, toolchainFiles);
    if (!kept && !directories.isDisabled()) {
      counts.notKept();
    }
    return kept;
  }

  private Toolchain.Job job(Request request, KernelSource source) {
    return new Toolchain.Job(
        request.digest(), source.staged(), request.target(), source.options().arguments(), timeout);
  }

  private CacheEntry entry(
      Request request,
      KernelSource source,
      Maker maker,
      Toolchain.Output output,
      String log,
      Digest dependencies,
      Map<String, String> instances) {
    return new CacheEntry(
        output.codeObject().digest(),
        output.codeObject().size(),
        output.codeObject().abiVersion(),
        source.name(),
        source.inputs(),
        request.target(),
        request.label(),
        request.digest(),
        maker.identity(),
        maker.files().digest(),
        maker.description(),
        source.options().arguments(),
        output.command(),
        log,
        output.elapsed(),
        clock.instant(),
        dependencies,
        instances);
  }

  /**
   * Returns a log fit to be kept for others, with the names in the source's own tree in place of
   * absolute ones, which mean nothing on another machine and may be private.
   */
  private static String portable(String log, KernelSource source) {
    // A name may be the beginning of another, so the longest are replaced first.
    List<Map.Entry<String, String>> absolute =
        source.staged().displayNames().entrySet().stream()
            .filter(name -> name.getValue().startsWith("/"))
            .sorted(Comparator.comparing(name -> -name.getValue().length()))
            .toList();
    String portable = log;
    for (Map.Entry<String, String> name : absolute) {
      String staged = name.getKey();
      portable = portable.replace(name.getValue(), staged.substring(staged.indexOf('/') + 1));
    }
    return portable;
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(CompileTask.class.getName());
  }
}
