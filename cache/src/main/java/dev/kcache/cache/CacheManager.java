// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.callback.CallbackExecutor;
import dev.kcache.cache.device.DeviceRequests;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.signing.Published;
import dev.kcache.cache.signing.Revocation;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.trace.TraceWriter;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.ExecutorLoad;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainCandidate;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.LlvmTools;
import dev.kcache.toolchain.driver.Toolchains;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The kernel cache: takes HIP source, returns a verified code object from memory, class path, disk
 * or the compiler.
 *
 * <pre>{@code
 * try (CacheManager cache = CacheManager.create()) {
 *   CodeObject code = cache.getOrCompile(KernelSource.read(Path.of("saxpy.hip")));
 * }
 * }</pre>
 *
 * <p><b>Concurrency.</b> Safe for use by any number of threads. One request is compiled once,
 * however many threads, class loaders and processes of the machine ask for it at once; requests for
 * something else do not wait. Hits run on the calling thread; compiles run on the manager's own
 * bounded threads, so that a caller that is interrupted, cancels its future or gives up leaves the
 * compile to those who still wait, and to the cache. A failed compile is remembered for a few
 * seconds in memory, and never on disk.
 *
 * <p><b>Changes of the toolchain</b> are seen by lookups on the disk, within two seconds. What
 * memory holds was right when it came there, and is served for as long as it stays.
 *
 * <p><b>Callbacks</b> may do whatever a caller may: request other kernels and wait for them, or
 * close the manager. The futures that are returned complete on the {@linkplain
 * CacheManagerBuilder#executor executor}, and never on a thread that others wait for; one whose
 * result is in memory may be complete when it is returned. {@linkplain CacheListener Listeners} are
 * called by the threads that do the work. What a blocking request gives, and when, does not depend
 * on the executor. Made within a compile, by a {@link Toolchain}, a blocking request compiles on
 * the thread that it is on.
 *
 * <p><b>Resources</b> below {@code META-INF/kcache} that a jar carries serve first, without a
 * compiler or a directory, since they are trusted as the code beside them; see {@link
 * ResourceWriter}. {@code KCACHE_DISABLE} does not concern them. A damaged one is passed over.
 *
 * <p><b>Layers</b> are directories that somebody else filled, such as a part of a container image,
 * and packs, each a jar that {@link PackWriter} made of one. What the cache directory lacks is
 * looked for there, in order, before it is compiled. They are never changed, and a hit is served
 * from where it is.
 *
 * <p><b>Remotes</b>, which {@link CacheManagerBuilder#remote} names, are asked for what no
 * directory has, before it is compiled. A hit is kept in the cache directory.
 *
 * <p><b>Faults of the cache</b> (a directory that is a file, is full, cannot be written, or that
 * others can write) are never faults of a request: the code object is taken from the next directory
 * or compiled, and returned, with one warning for the directory. A damaged entry is moved aside and
 * compiled again; in a layer it is passed over.
 *
 * <p>Requests throw {@link IllegalStateException} once the manager is closed; the asynchronous ones
 * do so at once, and return no future.
 */
public final class CacheManager implements KernelCache, AutoCloseable {
  /** For what a remote was asked in the background, so that a short process hears of it, too. */
  private static final Duration LAST_WAIT = Duration.ofSeconds(5);

  private final CachePolicy policy;
  private final Directories directories;
  private final Workspace workspace;
  private final Toolchains toolchains;
  final Provenance provenance;
  private final RequestResolver resolver;
  private final Targets targets;
  private final UsageRecorder usage;
  private final DependencyChecks dependencies;
  private final TieredCache requests;
  private final Explainer explainer;
  private final Recompiler recompiler;
  private final Misses misses;
  private final Workers workers;
  private final CallbackExecutor callbacks;
  private final CacheEvents events;
  private final SignaturePolicy signatures;
  private final @Nullable TraceWriter trace;
  private final RemoteSettings remoteSettings;
  private final RemoteTier remotes;
  private final RevocationFeed revocations;

  CacheManager(CacheManagerBuilder builder) {
    Map<String, String> environment = builder.environment;
    CacheSettings settings = CacheSettings.of(builder);
    policy = settings.policy();
    events = new CacheEvents(builder.listeners);
    signatures = SignatureSettings.of(builder);
    directories =
        new Directories(
            settings,
            builder.files,
            signatures,
            events,
            !environment.getOrDefault("KCACHE_LOG", "").isEmpty());
    workspace = Workspace.of(environment, settings, directories.own());
    usage = new UsageRecorder(workspace.own(), InstantSource.system());
    toolchains = builder.toolchains(settings, workspace);
    targets =
        new Targets(builder.target, environment, workspace, builder.compileTimeout, toolchains);
    remoteSettings = RemoteSettings.of(builder, settings.disabled());
    remotes = remoteSettings.open(builder, signatures);
    workers =
        new Workers(
            builder.parallelism,
            // A lookup in a remote is a wait, for most of its time.
            Math.max(builder.parallelism, remotes.isEmpty() ? 0 : RemoteTier.MOST_IN_FLIGHT),
            events);
    callbacks = new CallbackExecutor(builder.executor);
    dependencies = new DependencyChecks(toolchains, directories, builder.nanoTime);
    ClassPathTier classPath = ClassPathTier.of(builder, signatures);
    provenance = new Provenance(directories, classPath);
    CompileTask compiles =
        new CompileTask(
            toolchains,
            directories,
            builder.compileTimeout,
            usage,
            provenance,
            remotes,
            signatures.revocations());
    revocations = new RevocationFeed(signatures, directories, remotes, builder.nanoTime);
    resolver =
        new RequestResolver(
            policy,
            builder.recompile,
            toolchains,
            directories,
            dependencies,
            compiles,
            classPath,
            new RemoteLookup(
                remotes, directories, dependencies, classPath.bypassed(), revocations));
    MemoryTier memory = new MemoryTier(builder.memoryLimit, builder.nanoTime);
    Path traced = CacheSettings.trace(builder);
    trace = traced == null ? null : new TraceWriter(traced);
    explainer = new Explainer(directories, resolver);
    misses =
        new Misses(
            policy,
            explainer,
            new MissReasons(
                directories,
                dependencies,
                classPath.bypassed(),
                signatures.revocations(),
                builder.recompile));
    recompiler = new Recompiler(directories, resolver, compiles, workers, callbacks);
    requests = new TieredCache(memory, resolver, workers, callbacks, usage, misses, trace, events);
  }

  /**
   * {@return a manager with the defaults and this process's environment} Starts no thread and no
   * process, and creates no file.
   *
   * @throws IllegalArgumentException if a variable of the environment is out of its range
   */
  public static CacheManager create() {
    return builder().build();
  }

  /**
   * {@return the machine's programs that read code objects} They need no cache: none is opened, no
   * variable of one is read, and temporary files are made in the system's directory. No program is
   * run before it is asked.
   *
   * @param environment the environment variables, by which the programs are found
   */
  public static LlvmTools tools(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    return new LlvmTools(environment, Workspace.temporary(environment));
  }

  /** {@return a builder with the defaults and this process's environment} */
  public static CacheManagerBuilder builder() {
    return new CacheManagerBuilder();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The cache's own target is {@link #target()}. For a detected device this is the code object
   * for its exact target ID if the cache has one, else one for its processor with any features,
   * which runs on it as well; what memory has of either is returned before the disk is looked at.
   * Where the cache has neither and no compiler makes it, code for the {@linkplain TargetId#generic
   * generic target} serves if the cache has it.
   *
   * @throws IllegalArgumentException if a variable of the environment is out of its range, or
   *     contradicts the compiler that is about to run
   */
  @Override
  public CodeObject getOrCompile(KernelSource source) {
    return resolve(source).codeObject();
  }

  @Override
  public CodeObject getOrCompile(KernelSource source, TargetId target) {
    return resolve(source, target).codeObject();
  }

  @Override
  public CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source) {
    return resolveAsync(source).thenApply(CacheResult::codeObject);
  }

  @Override
  public CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source, TargetId target) {
    return resolveAsync(source, target).thenApply(CacheResult::codeObject);
  }

  /**
   * Does what {@link #getOrCompile(KernelSource)} does, and throws what it throws.
   *
   * @param source what to compile
   * @return the code object, and also where it came from, what the compiler printed, and whether
   *     the disk holds it
   */
  public CacheResult resolve(KernelSource source) {
    requireNonNull(source, "source");
    return requests.get(source, targets.candidates());
  }

  /**
   * Does what {@link #getOrCompile(KernelSource, TargetId)} does, and throws what it throws.
   *
   * @param source what to compile
   * @param target processor and features that the code object is for; nothing more general serves
   * @return the code object with the details that {@link #resolve(KernelSource)} returns
   */
  public CacheResult resolve(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    return requests.get(source, Candidates.exactly(target));
  }

  /**
   * Does what {@link #resolve(KernelSource)} does, without waiting.
   *
   * @param source what to compile
   * @return the caller's own future, which fails with the exceptions of that method; cancelling it
   *     does not end the compile, which others may wait for
   */
  public CompletableFuture<CacheResult> resolveAsync(KernelSource source) {
    requireNonNull(source, "source");
    Candidates known = targets.knownCandidates();
    return known != null
        ? requests.getAsync(source, known)
        : requests.getAsync(source, targets::candidates);
  }

  /**
   * Does what {@link #resolve(KernelSource, TargetId)} does, without waiting.
   *
   * @param source what to compile
   * @param target processor and features that the code object is for; nothing more general serves
   * @return the caller's own future, which fails with the exceptions of that method; cancelling it
   *     does not end the compile, which others may wait for
   */
  public CompletableFuture<CacheResult> resolveAsync(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    return requests.getAsync(source, Candidates.exactly(target));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Generic code serves as for {@link #getOrCompile(KernelSource)}.
   */
  @Override
  public Optional<CodeObject> getIfPresent(KernelSource source) {
    requireNonNull(source, "source");
    return requests.getIfPresent(source, targets.candidates());
  }

  @Override
  public Optional<CodeObject> getIfPresent(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    return requests.getIfPresent(source, Candidates.exactly(target));
  }

  /** {@return what only kcache's own module for kernels asks of a cache} */
  @SuppressWarnings("exports") // Nobody else can name the type.
  public DeviceRequests<KernelSource, CacheResult> deviceRequests() {
    return new RequestsOfDevices(requests, targets, events);
  }

  /**
   * Returns the cache directory as one that is only read, once it is known what is revoked.
   *
   * @throws IOException if there is none
   */
  Layer ownLayer() throws IOException {
    resolver.awaitRevocations();
    return directories
        .own()
        .filter(DiskStore::exists)
        .orElseThrow(() -> new IOException("there is no cache directory; set KCACHE_DIR"))
        .asLayer();
  }

  /**
   * Takes what is revoked from the cache directory and the layers of an environment, too; for
   * kcache's own command, which looks into other directories.
   *
   * @param environment the variables that name them
   * @throws IllegalArgumentException if a variable is out of its range
   */
  public void takeRevocations(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    RevocationFeed.look(signatures, environment);
  }

  /**
   * Has the cache directory only read from now on: neither entries, nor counts of requests, nor
   * lists of what is revoked are kept there; for kcache's own command.
   */
  public void readOnly() {
    directories.readOnly();
    usage.readOnly();
  }

  /** {@return the keys of this manager, for kcache's own command and build tools} */
  @SuppressWarnings("exports") // Nobody else can name the type.
  public SignaturePolicy signatures() {
    return signatures;
  }

  /**
   * {@return where a revocation is now} It is added to the latest list that the cache directory and
   * the remotes have, which is signed and written there; for kcache's own command.
   *
   * @param revocation what must not serve any more
   * @throws UncheckedIOException if there is no key to sign with, or a remote does not answer;
   *     nothing is changed
   */
  @SuppressWarnings("exports") // Nobody else can name the type.
  public Published revoke(Revocation revocation) {
    requireNonNull(revocation, "revocation");
    try {
      return revocations.publish(revocation);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  /**
   * {@return whether {@code source} is a hit for exactly {@code target}, what it is kept under, and
   * for a miss, in what the nearest entries differ} Looks at class path and disk, and asks a
   * compiler as a request would; compiles, counts and changes nothing.
   *
   * @param source what a request would be for
   * @param target processor and features that a request would name
   * @throws InvalidKernelSourceException if the source cannot be keyed
   * @throws CompilationException if the compiler refuses the target or the options
   * @throws IllegalArgumentException as {@link #getOrCompile(KernelSource)}
   */
  public Explanation explain(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    requireNonNull(target, "target");
    return explainer.explain(source, target);
  }

  /**
   * {@return what requests that name no target are compiled for: the builder's target, else {@code
   * KCACHE_ARCH}, else {@code ARCH}, else the processor that rocminfo detects, with any features}
   *
   * @throws TargetDetectionException if there is none, or no single one
   * @throws IllegalArgumentException if a variable names no target, or a family of several
   */
  public TargetId target() {
    return targets.candidates().last();
  }

  /**
   * {@return the GPUs of this machine that the variables for it ({@code ROCR_VISIBLE_DEVICES}, then
   * {@code HIP_VISIBLE_DEVICES} or {@code CUDA_VISIBLE_DEVICES}) show, each at the place of its
   * device ordinal} They are looked for at each call, whatever target is configured. Where the
   * kernel shows its GPUs and nothing has changed, that starts no process.
   *
   * @throws TargetDetectionException if they can't be listed, if there is none or none is shown, or
   *     if one has a processor that is unknown here; the message says what to do
   */
  public List<DetectedDevice> devices() {
    return targets.detector().devices();
  }

  /**
   * {@return the compiler for the targets of a platform: the builder's, else the hipcc or nvcc that
   * the environment leads to, which ends with this manager}
   *
   * @param platform whose GPUs the code is for
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment names something else
   */
  public Toolchain toolchain(Platform platform) {
    requireNonNull(platform, "platform");
    return toolchains.of(platform);
  }

  /**
   * {@return the compiler for sources in a language: as {@link #toolchain(Platform)}, but the
   * user's rustc for Rust}
   *
   * @param platform whose GPUs the code is for
   * @param language what the sources are written in
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment names something else
   */
  public Toolchain toolchain(Platform platform, Language language) {
    requireNonNull(platform, "platform");
    requireNonNull(language, "language");
    return toolchains.of(platform, language);
  }

  /**
   * {@return the compiler for HIP for a device: the first in the order of {@link #toolchains} that
   * knows its processor, else the first of all}
   *
   * @param device the target that the device reports
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment names something else
   */
  public Toolchain toolchain(TargetId device) {
    requireNonNull(device, "device");
    return resolver.compiler(device);
  }

  /**
   * {@return the compilers of a platform in the order in which they are taken, also those that are
   * not there, but not a builder's own} Asks those that are, which may start processes.
   *
   * @param platform whose GPUs the code is for
   */
  public List<ToolchainCandidate> toolchains(Platform platform) {
    requireNonNull(platform, "platform");
    return toolchains.candidates(platform);
  }

  /** {@return where the compiles are, if an executor's machines run them; asks nobody} */
  public Optional<ExecutorLoad> executorLoad() {
    return toolchains.load();
  }

  /**
   * {@return the name of the compiler that the builder or {@code KCACHE_TOOLCHAIN} asks for; empty
   * if neither does}
   */
  public Optional<String> wantedToolchain() {
    return toolchains.wanted();
  }

  /**
   * {@return which records may serve a request, and whether a miss may be compiled; the same after
   * {@link #seal}}
   */
  public CachePolicy policy() {
    return policy;
  }

  /**
   * {@return the label that is set for the compiler of a platform; if empty, it is the compiler's}
   * For AMD {@code KCACHE_ROCM_VERSION} or {@code ROCM_VERSION} sets it, for NVIDIA {@code
   * KCACHE_CUDA_VERSION} or {@code CUDA_VERSION}.
   *
   * @param platform whose GPUs the code is for
   * @throws IllegalArgumentException if the variable holds no version
   */
  public Optional<ToolchainLabel> configuredLabel(Platform platform) {
    requireNonNull(platform, "platform");
    return toolchains.requested(platform).map(RequestedLabel::label);
  }

  /**
   * {@return the upkeep of the cache directory and its layers} It opens nothing of its own, and
   * need not be closed.
   */
  public CacheMaintenance maintenance() {
    return new CacheMaintenance(
        directories, workspace, usage, dependencies, () -> remoteSettings.health(remotes));
  }

  /**
   * {@return what compiles entries again and compares the bytes, on the threads of this manager}
   */
  public Recompiler recompiler() {
    return recompiler;
  }

  /**
   * Lets nothing more be compiled, such as after a warm-up: from now on a request that neither
   * memory nor disk can answer is a {@link CacheMissException} that names the request and how the
   * nearest entry differs from it. Each is logged as a warning and counts as a miss. Compiles that
   * are under way end as they would. Cannot be undone.
   */
  public void seal() {
    misses.seal();
  }

  /** {@return what this manager has done so far, from its start to this call} */
  public CacheUsage.Counts statistics() {
    return usage.total();
  }

  /**
   * Waits until what was compiled so far is uploaded to the remotes that this manager writes. An
   * interrupt ends the wait; the flag of the thread stays set.
   *
   * @param limit how long to wait at most
   * @return how many compiled entries some remote lacks: those that did not fit into the queue or
   *     were refused, and those that are still to be uploaded
   */
  public long awaitUploads(Duration limit) {
    requireNonNull(limit, "limit");
    return remotes.awaitUploads(limit);
  }

  /**
   * Ends running compiles, within seconds, lets a running eviction and uploads to remotes end, each
   * for as long at most, and releases threads and locks: afterwards this manager writes nothing to
   * its directory. Waiting requests fail with an {@link IllegalStateException} or a {@link
   * CancellationException}, futures perhaps after this has returned. Waits for no callback, so each
   * may call it, as may listeners. A toolchain that calls it from a compile does not wait for that
   * compile, which may still write. Closing twice has no effect.
   */
  @Override
  public void close() {
    workers.close();
    revocations.await(LAST_WAIT);
    remotes.close();
    directories.close();
    toolchains.close();
    usage.close();
    callbacks.close();
    if (trace != null) {
      trace.close();
    }
  }
}
