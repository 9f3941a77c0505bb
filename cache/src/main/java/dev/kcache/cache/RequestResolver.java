// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.fleet.Turn;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.EntryDirectory;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilationTimeoutException;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.Toolchains;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests from the disk, the remotes and the compiler, by the policy: which record may
 * serve, when the toolchain is asked, what is compiled.
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
  private final ClassPathTier classPath;
  private final RemoteLookup remotes;
  private final Bypassed bypassed;

  RequestResolver(
      CachePolicy policy,
      boolean recompile,
      Toolchains toolchains,
      Directories directories,
      DependencyChecks dependencies,
      CompileTask compiles,
      ClassPathTier classPath,
      RemoteLookup remotes) {
    this.policy = policy;
    this.recompile = recompile;
    this.toolchains = toolchains;
    this.directories = directories;
    this.dependencies = dependencies;
    this.compiles = compiles;
    this.classPath = classPath;
    this.bypassed = classPath.bypassed();
    this.remotes = remotes;
  }

  /**
   * Returns the key of a source for a target. Under {@link CachePolicy#AUTO} the toolchain that is
   * present decides; without one, a configured label is enough to find what others made.
   *
   * @throws ToolchainNotFoundException if neither is there; {@link #standIns} may be
   */
  RequestKey key(KernelSource source, TargetId target) {
    Platform platform = target.processor().platform();
    Optional<RequestedLabel> requested = toolchains.requested(platform, source.language());
    if (policy == CachePolicy.AUTO) {
      try {
        return compilersKey(source, target);
      } catch (ToolchainNotFoundException e) {
        if (requested.isEmpty()) {
          throw e;
        }
      }
    }
    ToolchainLabel label =
        requested
            .map(RequestedLabel::label)
            .orElseGet(
                () ->
                    capable(source, platform)
                        .orElse(toolchains.of(platform, source.language()))
                        .label());
    return RequestKey.of(source, target, label);
  }

  /**
   * Returns the key of what the first compiler makes that compiles for a target.
   *
   * @throws CompilationException if none does
   */
  RequestKey compilersKey(KernelSource source, TargetId target) {
    Platform platform = target.processor().platform();
    Toolchain preferred = toolchains.of(platform, source.language());
    ToolchainLabel own = checkedLabel(preferred, toolchains.requested(platform, source.language()));
    List<String> lacking = new ArrayList<>();
    for (Toolchain compiler = preferred; ; ) {
      Optional<Toolchain> next = Optional.empty();
      try {
        if (compiler.languages().contains(source.language())
            && !compiler.isKnownToLack(target.processor())) {
          ToolchainLabel label = compiler == preferred ? own : compiler.label();
          RequestKey key = RequestKey.of(source, target, label, compiler);
          tellOfSecondChoice(lacking, wanted(source, target), compiler);
          return key;
        }
        next = toolchains.after(platform, compiler);
      } catch (CompilationException e) {
        Toolchain refusing = compiler;
        next = toolchains.after(platform, refusing).filter(other -> lacks(refusing, target));
        if (next.isEmpty() && lacking.isEmpty()) {
          throw e;
        }
      }
      lacking.add(compiler.describe());
      if (next.isEmpty()) {
        return lackedByAll(source, target, preferred, own, lacking);
      }
      compiler = next.get();
    }
  }

  /** A single compiler says by itself what it does not like. */
  private static RequestKey lackedByAll(
      KernelSource source,
      TargetId target,
      Toolchain preferred,
      ToolchainLabel label,
      List<String> lacking) {
    if (lacking.size() == 1 && preferred.languages().contains(source.language())) {
      return RequestKey.of(source, target, label, preferred);
    }
    String problem =
        "no compiler here compiles "
            + wanted(source, target)
            + ": "
            + (lacking.size() == 1 ? "not " : "neither ")
            + String.join(", nor ", lacking);
    if (source.language() != Language.HIP) {
      throw new ToolchainNotFoundException(
          source.name()
              + ": "
              + problem
              + "; use hipcc, amdclang++ or kcache-llvm, for AMD's GPUs");
    }
    throw new CompilationException(source.name(), problem, List.of(), -1, "");
  }

  private static String wanted(KernelSource source, TargetId target) {
    Language language = source.language();
    return (language == Language.HIP ? "" : language + " ") + "for " + target;
  }

  private static void tellOfSecondChoice(List<String> lacking, String wanted, Toolchain compiler) {
    if (!lacking.isEmpty()) {
      System.getLogger(RequestResolver.class.getName())
          .log(
              Level.INFO,
              "{0} does not compile {1}; using {2}",
              String.join(" or ", lacking),
              wanted,
              compiler.describe());
    }
  }

  private static boolean lacks(Toolchain compiler, TargetId target) {
    try {
      return !compiler.compilesFor(target.processor());
    } catch (ToolchainNotFoundException e) {
      // It does not tell.
      return false;
    }
  }

  /**
   * Returns the other keys under which a source for a target may be found where there is no
   * compiler: those of what stands in for the version that is set, or of any version if none is.
   */
  List<RequestKey> standIns(KernelSource source, TargetId target) {
    return standIns(source, target, directories.labels(source, target));
  }

  private List<RequestKey> standIns(
      KernelSource source, TargetId target, Set<ToolchainLabel> labels) {
    Platform platform = target.processor().platform();
    boolean anyServes =
        policy != CachePolicy.AUTO && toolchains.requested(platform, source.language()).isPresent();
    return labels.isEmpty() || (!anyServes && hasCompiler(source, platform))
        ? List.of()
        : keys(source, target, labels);
  }

  private List<RequestKey> keys(KernelSource source, TargetId target, Set<ToolchainLabel> labels) {
    return toolchains
        .withoutCompiler(target.processor().platform(), source.language(), labels)
        .stream()
        .map(label -> RequestKey.of(source, target, label))
        .toList();
  }

  /**
   * Returns the keys under which code for generic processors may be found that runs on what a
   * request wants, if no compiler here makes that.
   *
   * @param failure why it was not made; null if nobody tried
   */
  List<RequestKey> secondChances(
      KernelSource source, Candidates wanted, @Nullable RuntimeException failure) {
    List<RequestKey> keys =
        wanted.generic().stream()
            .flatMap(generic -> keys(source, generic, directories.labels(source, generic)).stream())
            .toList();
    return keys.isEmpty() || !isForWantOfACompiler(source, failure, wanted.last())
        ? List.of()
        : keys;
  }

  /** As {@link #secondChances}: the generic targets for which remotes may be asked. */
  List<TargetId> remoteChances(
      KernelSource source, Candidates wanted, @Nullable RuntimeException failure) {
    return remotes.isEmpty()
            || wanted.generic().isEmpty()
            || !isForWantOfACompiler(source, failure, wanted.last())
        ? List.of()
        : wanted.generic();
  }

  /** Returns whether no compiler here makes what was not found. */
  boolean isForWantOfACompiler(
      KernelSource source, @Nullable RuntimeException failure, TargetId target) {
    if (failure == null) {
      return policy == CachePolicy.SEALED || !hasCompiler(source, target.processor().platform());
    }
    return failure instanceof ToolchainNotFoundException
        || failure instanceof CacheMissException
        || (failure instanceof CompilationException && isLackedByAll(source, target));
  }

  private boolean isLackedByAll(KernelSource source, TargetId target) {
    return knowing(target.processor().platform(), source.language(), one -> target).isEmpty();
  }

  /**
   * Returns the compiler that HIP for a device goes to: the first that knows it, else the first.
   */
  Toolchain compiler(TargetId device) {
    Platform platform = device.processor().platform();
    return knowing(platform, Language.HIP, one -> one.targetFor(device))
        .orElseGet(() -> toolchains.of(platform));
  }

  /** Returns the first compiler that does not lack what is compiled with it. */
  private Optional<Toolchain> knowing(
      Platform platform, Language language, Function<Toolchain, TargetId> compiled) {
    Optional<Toolchain> compiler = Optional.of(toolchains.of(platform, language));
    while (compiler.isPresent() && lacks(compiler.get(), compiled.apply(compiler.get()))) {
      compiler = toolchains.after(platform, compiler.get());
    }
    return compiler;
  }

  /** Tells that code for a generic processor serves, which may be slower than the target's own. */
  static void tellOfGeneric(TargetId wanted, TargetId generic) {
    Notices.warn(
        System.getLogger(RequestResolver.class.getName()),
        "generic code for " + wanted,
        "there is neither code for %1$s nor a compiler that makes it; code for %2$s is taken, which may be slower: prewarm --arch %1$s"
            .formatted(wanted, generic));
  }

  private boolean hasCompiler(KernelSource source, Platform platform) {
    try {
      return capable(source, platform).filter(one -> !one.label().text().isEmpty()).isPresent();
    } catch (ToolchainNotFoundException e) {
      return false;
    }
  }

  /** Returns the first compiler for a source's language. */
  private Optional<Toolchain> capable(KernelSource source, Platform platform) {
    Optional<Toolchain> compiler = Optional.of(toolchains.of(platform, source.language()));
    while (compiler.isPresent() && !compiler.get().languages().contains(source.language())) {
      compiler = toolchains.after(platform, compiler.get());
    }
    return compiler;
  }

  /** Reads what was revoked, if it is time. */
  void readRevocations() {
    remotes.revocations().refresh();
  }

  /** As {@link #readRevocations}, and waits for the remotes, which have a deadline. */
  void awaitRevocations() {
    readRevocations();
    remotes.revocations().await();
  }

  /** Returns what answers from the class path. */
  ClassPathTier classPath() {
    return classPath;
  }

  /** Returns what the disk has, verified; empty when everything is to be compiled anew. */
  Optional<CacheResult> find(RequestKey key) {
    return find(key, directories.all());
  }

  private Optional<CacheResult> find(RequestKey key, List<EntryDirectory> searched) {
    for (EntryDirectory directory : recompile ? List.<EntryDirectory>of() : searched) {
      if (directories.isReadable(directory)) {
        Optional<StoredEntry> found =
            serving(key, directory).flatMap(record -> directory.load(record).stream()).findFirst();
        directories.report(directory, key, found);
        if (found.isPresent()) {
          Origin origin = directory instanceof Layer ? Origin.LAYER : Origin.DISK;
          return found.map(entry -> result(entry, origin, true));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Returns what the remotes have for a source and a target, verified; empty when everything is to
   * be compiled anew. What serves is kept in the manager's directory first, if that can be.
   *
   * @param key what no directory has; null if there is neither a compiler nor a label that is set
   */
  Optional<CacheResult> findRemotely(
      KernelSource source, TargetId target, @Nullable RequestKey key) {
    if (recompile || remotes.isEmpty()) {
      return Optional.empty();
    }
    return key != null && key.toolchain() != null
        ? remotes.find(key, key.toolchain())
        : remotes.findAny(
            RequestKey.digest(source, target), target, made -> serves(source, target, key, made));
  }

  /** As in a directory: the label that is looked under, or one that may stand in for it. */
  private boolean serves(
      KernelSource source, TargetId target, @Nullable RequestKey key, ToolchainLabel made) {
    return (key != null && key.request().label().equals(made))
        || standIns(source, target, Set.of(made)).stream()
            .anyMatch(served -> served.request().label().equals(made));
  }

  /** Returns the records that may serve, in the order in which they are taken. */
  Stream<CacheEntry> serving(RequestKey key, EntryDirectory directory) {
    return records(key, directory).stream().filter(record -> mayServe(key, record));
  }

  private static List<CacheEntry> records(RequestKey key, EntryDirectory directory) {
    return key.toolchain() == null
        ? directory.records(key.request())
        : directory.record(key.request(), key.toolchain()).map(List::of).orElse(List.of());
  }

  private boolean mayServe(RequestKey key, CacheEntry record) {
    return !bypassed.contains(record)
        && (key.compiler() == null || dependencies.areCurrent(record, key.compiler()));
  }

  static CacheResult result(StoredEntry found, Origin origin, boolean kept) {
    CacheEntry record = found.entry();
    return new CacheResult(
        found.codeObject(),
        origin,
        record.label(),
        record.compileTime(),
        record.log(),
        kept,
        record.instances());
  }

  /**
   * Finds or compiles, holding the machine-wide lock of the request, so that of several processes
   * one compiles and the others find.
   */
  CacheResult findOrCompile(RequestKey key, KernelSource source) throws InterruptedException {
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
    RequestKey exact = key.compiler() == null ? compilersKey(source, key.request().target()) : key;
    boolean keep = !bypassed.concerns(key.request().digest());
    try (Turn turn =
        keep && !recompile
            ? remotes.awaitTurn(exact, Objects.requireNonNull(exact.toolchain()))
            : Turn.WITHOUT_LEASE) {
      return turn.found().isPresent()
          ? remotes.kept(turn.found().get())
          : compiles.run(exact, source, keep, turn);
    } catch (CompilationTimeoutException e) {
      throw e;
    } catch (CompilationException e) {
      Optional<RequestKey> other = otherCompilersKey(exact, source);
      if (other.isEmpty()) {
        throw e;
      }
      Optional<CacheResult> found = find(other.get());
      return found.isPresent() ? found.get() : compile(other.get(), source);
    }
  }

  /** A fault of the source is one with any compiler: only a target is for another one. */
  private Optional<RequestKey> otherCompilersKey(RequestKey failed, KernelSource source) {
    TargetId target = failed.request().target();
    Toolchain compiler = Objects.requireNonNull(failed.compiler());
    if (toolchains.after(target.processor().platform(), compiler).isEmpty()
        || !lacks(compiler, target)) {
      return Optional.empty();
    }
    return Optional.of(compilersKey(source, target)).filter(key -> key.compiler() != compiler);
  }

  /** Returns the compiler's label; throws if a version is set that contradicts it. */
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
}
