// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.fleet.Turn;
import dev.kcache.cache.signing.Revocation;
import dev.kcache.cache.signing.Revocations;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.driver.Toolchains;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Compiles what is missing: runs the compiler, counts, and keeps the result.
 *
 * <p>Safe for use by any number of threads. Its caller holds the request's lock.
 */
final class CompileTask {
  private final Toolchains toolchains;
  private final Directories directories;
  private final Duration timeout;
  private final UsageRecorder usage;
  private final Provenance provenance;
  private final RemoteTier remotes;
  private final Revocations revocations;

  CompileTask(
      Toolchains toolchains,
      Directories directories,
      Duration timeout,
      UsageRecorder usage,
      Provenance provenance,
      RemoteTier remotes,
      Revocations revocations) {
    this.revocations = revocations;
    this.toolchains = toolchains;
    this.directories = directories;
    this.timeout = timeout;
    this.usage = usage;
    this.provenance = provenance;
    this.remotes = remotes;
  }

  /** A compile's output, and the names of the kernels that the source instantiates. */
  private record Made(Toolchain.Output output, Map<String, String> instances) {}

  /**
   * Compiles a source, and keeps the result in the manager's directory, and in the remotes that it
   * writes, if it is to be kept. What is revoked is not: it serves this process, with one warning.
   *
   * @param key names the compiler
   * @param turn ends with the upload, if there is one
   */
  CacheResult run(RequestKey key, KernelSource source, boolean keepable, Turn turn)
      throws InterruptedException {
    Request request = key.request();
    TargetId target = request.target();
    List<String> options = source.options().arguments();
    Toolchain compiler = Objects.requireNonNull(key.compiler());
    toolchains.warnOfIgnoredFlags(target.processor().platform());
    // Asked now, not taken from the key: that may have been minutes ago.
    Digest identity = compiler.identity(target, options);
    DependencyList identityFiles = DependencyList.of(compiler.identityFiles(target, options));
    String description = compiler.describe();
    log()
        .log(
            Level.DEBUG,
            () ->
                "compiling %s for %s with toolchain %s".formatted(source.name(), target, identity));
    Made made = compile(compiler, request, source);
    Toolchain.Output output = made.output();
    DependencyList read = DependencyList.of(output.dependencies());
    CodeObject code = output.codeObject();
    CacheEntry entry =
        new CacheEntry(
            code.digest(),
            code.size(),
            code.abiVersion(),
            source.name(),
            source.language().text(),
            source.inputs(),
            target,
            request.label(),
            request.digest(),
            identity,
            identityFiles.digest(),
            description,
            options,
            output.command(),
            portable(output.log(), source.staged().displayNames()),
            output.elapsed(),
            Instant.now(),
            read.digest(),
            made.instances());
    boolean keep = keepable && !isRevoked(entry);
    boolean kept = keep && directories.keep(entry, code, read, identityFiles);
    if (keep) {
      UsageRecorder.Row row = usage.row(target, source.name());
      remotes.upload(entry, code, List.of(read, identityFiles), turn, row::uploaded);
    }
    if (!kept) {
      provenance.notKept(entry);
    }
    if (keep && !kept && !directories.isDisabled()) {
      usage.row(target, source.name()).notKept();
    }
    return new CacheResult(
        code,
        CacheResult.Origin.COMPILED,
        request.label(),
        output.elapsed(),
        output.log(),
        kept,
        made.instances());
  }

  private boolean isRevoked(CacheEntry entry) {
    Optional<Revocation> revocation = revocations.of(entry);
    revocation.ifPresent(
        found ->
            Notices.warn(
                log(),
                "revoked " + entry.request(),
                "%s compiles to what is revoked (%s); it runs and is not kept: update the compiler"
                    .formatted(entry.source(), found.reason())));
    return revocation.isPresent();
  }

  /**
   * Compiles a source for nobody: the result is neither kept nor counted, and no listener hears.
   *
   * @param key names the compiler
   */
  Toolchain.Output output(RequestKey key, KernelSource source) throws InterruptedException {
    return Objects.requireNonNull(key.compiler()).compile(job(key.request(), source));
  }

  private Toolchain.Job job(Request request, KernelSource source) {
    return new Toolchain.Job(
        request.digest(), source.staged(), request.target(), source.options().arguments(), timeout);
  }

  private Made compile(Toolchain compiler, Request request, KernelSource source)
      throws InterruptedException {
    long start = System.nanoTime();
    Made made = null;
    try {
      Toolchain.Output output = compiler.compile(job(request, source));
      made = new Made(output, source.instantiations().names(source.name(), output));
      return made;
    } finally {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      usage
          .row(request.target(), source.name())
          .compiled(made != null ? made.output().elapsed() : elapsed, made != null);
    }
  }

  /**
   * Returns a log fit to be kept for others, with the names in the source's own tree in place of
   * absolute ones, which mean nothing on another machine and may be private.
   */
  private static String portable(String log, Map<String, String> displayNames) {
    // A name may be the beginning of another, so the longest are replaced first.
    List<Map.Entry<String, String>> absolute =
        displayNames.entrySet().stream()
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
