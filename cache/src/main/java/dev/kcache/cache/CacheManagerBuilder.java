// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.fleet.Jitter;
import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.store.FileOperations;
import dev.kcache.codeobject.Experimental;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.driver.Toolchains;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Configures a {@link CacheManager}. Not safe for use by several threads.
 *
 * <pre>{@code
 * CacheManager cache =
 *     CacheManager.builder()
 *         .directory(Path.of("/var/cache/app/kernels"))
 *         .layers(List.of(Path.of("/usr/share/app/kernels")))
 *         .target(TargetId.parse("gfx942"))
 *         .maxSize(2L << 30)
 *         .build();
 * }</pre>
 */
public final class CacheManagerBuilder {
  private static final long LARGEST_DEFAULT_MEMORY_LIMIT = 256L << 20;

  /** The rest is the program's, and a compile holds its result more than once. */
  private static final int SHARE_OF_HEAP = 4;

  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

  /** Well below the age at which what a killed compile left is removed. */
  private static final Duration MAXIMUM_TIMEOUT = Duration.ofHours(12);

  @Nullable Path directory;
  @Nullable List<Path> layers;
  @Nullable Path trace;
  @Nullable List<URI> remotes;
  @Nullable RemoteMode remoteMode;
  RemoteTier.Waits remoteWaits = RemoteTier.Waits.DEFAULT;
  Jitter remoteJitter = Jitter.DEFAULT;

  /** Those that are asked for resources; null for the default ones. */
  @Nullable List<ClassLoader> classLoaders;

  @Nullable TargetId target;
  @Nullable Toolchain toolchain;
  @Nullable String toolchainName;
  @Nullable ToolchainLabel runtime;
  @Nullable CachePolicy policy;

  /** What the limits of the environment become. */
  Function<CacheLimits, CacheLimits> limits = Function.identity();

  long memoryLimit = defaultMemoryLimit(Runtime.getRuntime().maxMemory());
  Duration compileTimeout = DEFAULT_TIMEOUT;
  int parallelism = Runtime.getRuntime().availableProcessors();
  @Nullable Path signKey;
  @Nullable List<Path> trustedKeys;
  boolean shared;
  boolean recompile;
  boolean batch;
  Map<String, String> environment = System.getenv();
  final List<CacheListener> listeners = new ArrayList<>();
  @Nullable Executor executor;
  LongSupplier nanoTime = System::nanoTime;
  Function<Path, FileOperations> files = FileOperations::of;

  /** What variables name files in. */
  FileSystem fileSystem = FileSystems.getDefault();

  CacheManagerBuilder() {}

  /**
   * Sets the root of the cache, written so that others may read it as a layer. Otherwise it is
   * {@code KCACHE_DIR}, {@code $XDG_CACHE_HOME/kcache} or {@code ~/.cache/kcache} (on Windows
   * {@code %LOCALAPPDATA%\kcache}), and private.
   *
   * @param directory made when it is first written; a relative path begins at the working directory
   * @return this builder
   * @throws IllegalArgumentException if it is the root of the file system, or begins with {@code ~}
   * @see #sharedWithGroup
   */
  public CacheManagerBuilder directory(Path directory) {
    Objects.requireNonNull(directory, "directory");
    this.directory = CacheSettings.alone("the cache directory ", directory);
    return this;
  }

  /**
   * Makes the cache directory one for a group; otherwise {@code KCACHE_SHARED=group} says so for
   * {@code KCACHE_DIR}. Its members, which are those of the group that it belongs to, then write
   * and read it together: everything in it is made 2770 and 0660, and what another member wrote is
   * trusted, so each member can change what the kernels of all do. A directory that everybody can
   * write is not used. Layers are not affected.
   *
   * @return this builder
   */
  public CacheManagerBuilder sharedWithGroup() {
    this.shared = true;
    return this;
  }

  /**
   * Sets the layers that are read, in this order, below the cache directory: directories that
   * others filled, and {@linkplain PackWriter packs}. This manager never changes them. Otherwise
   * they are those in {@code KCACHE_PATH}, separated as in {@code PATH}. One that is missing, that
   * belongs neither to root nor to this user, that others can write, or that they could exchange
   * for another, is passed over.
   *
   * @param layers the directories and files, which take the place of those set before; empty for
   *     none
   * @return this builder
   */
  public CacheManagerBuilder layers(List<Path> layers) {
    Objects.requireNonNull(layers, "layers");
    this.layers = layers.stream().map(layer -> layer.toAbsolutePath().normalize()).toList();
    return this;
  }

  /**
   * Sets the remotes that are asked, in this order, for what neither the cache directory nor a
   * layer has; otherwise they are those in {@code KCACHE_REMOTE}, separated by commas. What one has
   * is verified and kept in the cache directory. A remote that fails costs one warning, and a
   * deadline now and then; requests go on without it. Each engine is an artifact of its own, such
   * as {@code kcache-redis}; without it the remote is not used, with one warning. {@code
   * KCACHE_DISABLE} switches them off, too.
   *
   * <p>Whoever can write a remote chooses the code that runs, unless {@link #trustedKeys} are set.
   *
   * @param remotes such as {@code redis://cache.example.org}, which take the place of those set
   *     before; none for none
   * @return this builder
   * @see #remoteMode
   */
  @Experimental
  public CacheManagerBuilder remote(URI... remotes) {
    Objects.requireNonNull(remotes, "remotes");
    this.remotes = List.of(remotes);
    return this;
  }

  /**
   * Sets whether what is compiled is uploaded to the remotes, too; otherwise {@code
   * KCACHE_REMOTE_MODE}, otherwise {@link RemoteMode#READ}. Nobody waits for that but {@link
   * CacheManager#close}, and that for a few seconds at most.
   *
   * @param mode what is done with the remotes
   * @return this builder
   */
  @Experimental
  public CacheManagerBuilder remoteMode(RemoteMode mode) {
    this.remoteMode = Objects.requireNonNull(mode, "mode");
    return this;
  }

  /**
   * Sets the key that signs what is compiled; otherwise {@code KCACHE_SIGN_KEY} names it. Then what
   * comes from remotes, layers and the class path serves only if this key or a {@linkplain
   * #trustedKeys trusted} one has signed it. A file that cannot be used costs one warning, and
   * nothing is signed.
   *
   * @param file a private key of Ed25519 as PEM, that only its owner may read
   * @return this builder
   */
  @Experimental
  public CacheManagerBuilder signKey(Path file) {
    this.signKey = Objects.requireNonNull(file, "file");
    return this;
  }

  /**
   * Sets the keys one of which has to have signed what comes from remotes, layers and the class
   * path: what isn't is a miss. Otherwise {@code KCACHE_TRUSTED_KEYS} names them, separated as in
   * {@code PATH}; if neither does, nothing is asked for. What was compiled into the cache directory
   * needs no signature. If one file cannot be used, one warning says so, and nothing from elsewhere
   * serves.
   *
   * @param files public keys of Ed25519 as PEM, one or more in a file; they take the place of those
   *     set before; none for none
   * @return this builder
   */
  @Experimental
  public CacheManagerBuilder trustedKeys(Path... files) {
    Objects.requireNonNull(files, "files");
    this.trustedKeys = List.of(files);
    return this;
  }

  /**
   * Adds a class loader whose resources below {@code META-INF/kcache} serve before the disk does,
   * whatever compiler is present; see {@link ResourceWriter}. If none is added, these are the
   * calling thread's context class loader when the manager is made, which the manager does not keep
   * alive, and the one of this class. That of a {@link KernelSource#resource resource} is always
   * asked, as the last one.
   *
   * @param loader asked after those that were added before; kept until the manager is collected
   * @return this builder
   */
  public CacheManagerBuilder classLoader(ClassLoader loader) {
    List<ClassLoader> more = new ArrayList<>(classLoaders == null ? List.of() : classLoaders);
    more.add(Objects.requireNonNull(loader, "loader"));
    classLoaders = more;
    return this;
  }

  /**
   * Lets no class path serve but that of a {@link KernelSource#resource resource}, such as for a
   * tool that fills a cache directory. Class loaders that were added before are dropped; those that
   * {@link #classLoader} adds afterwards serve.
   *
   * @return this builder
   */
  public CacheManagerBuilder withoutClassPath() {
    classLoaders = List.of();
    return this;
  }

  /**
   * Sets a directory in which each distinct request is written down once, with its source and
   * whether it was a hit, to be prewarmed or proven elsewhere; otherwise {@code KCACHE_TRACE} names
   * it. Many processes may write one. Requests neither wait for that nor fail if it can't be
   * written, which costs one warning.
   *
   * @param directory made when it is needed
   * @return this builder
   * @see Trace
   */
  public CacheManagerBuilder traceTo(Path directory) {
    Objects.requireNonNull(directory, "directory");
    this.trace = directory.toAbsolutePath().normalize();
    return this;
  }

  /**
   * Sets the target of requests that name none; otherwise it is detected.
   *
   * @param target what they are compiled for, features included
   * @return this builder
   */
  public CacheManagerBuilder target(TargetId target) {
    this.target = Objects.requireNonNull(target, "target");
    return this;
  }

  /**
   * Sets the compiler; otherwise hipcc is looked for in the environment when it is first needed.
   *
   * @param toolchain asked for every platform and language; the manager does not close it
   * @return this builder
   */
  public CacheManagerBuilder toolchain(Toolchain toolchain) {
    this.toolchain = Objects.requireNonNull(toolchain, "toolchain");
    return this;
  }

  /**
   * Asks for a compiler by its name instead of {@code KCACHE_TOOLCHAIN}. Whether it is there shows
   * when it is first needed.
   *
   * @param name such as {@code hipcc} or {@code llvm}, as {@link CacheManager#toolchains} lists
   *     them
   * @return this builder
   */
  public CacheManagerBuilder toolchainNamed(String name) {
    this.toolchainName = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Sets the release of the GPU runtime that is loaded. Where there is no compiler and no version
   * is set, what that release's compilers made is looked for first, and then what any other made.
   *
   * @param release the label of the runtime's own compilers, such as {@code 6.4}
   * @return this builder
   */
  public CacheManagerBuilder runtime(ToolchainLabel release) {
    this.runtime = Objects.requireNonNull(release, "release");
    return this;
  }

  /**
   * Sets the policy; otherwise {@code KCACHE_POLICY}, otherwise {@link CachePolicy#AUTO}.
   *
   * @param policy which records may serve a request, and whether a miss may be compiled
   * @return this builder
   */
  public CacheManagerBuilder policy(CachePolicy policy) {
    this.policy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * Sets how much is kept in memory; if not set, 256 MiB or a quarter of what the heap may take,
   * whichever is less.
   *
   * @param bytes how many bytes of code objects are kept; 0 for none
   * @return this builder
   * @throws IllegalArgumentException if it is negative
   */
  public CacheManagerBuilder memoryLimit(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("memory limit must not be negative: " + bytes);
    }
    this.memoryLimit = bytes;
    return this;
  }

  /**
   * Sets how much of the disk the cache directory may take. Otherwise it is {@code
   * KCACHE_MAX_SIZE}, otherwise 5 GB. A directory that exceeds it loses what was not used for
   * longest, from time to time, when something is added to it; one that is set by {@link
   * #directory} only by {@link CacheMaintenance#collect}.
   *
   * @param bytes the most that its files may take on the disk
   * @return this builder
   * @throws IllegalArgumentException if it is not positive
   */
  public CacheManagerBuilder maxSize(long bytes) {
    CacheLimits unused = CacheLimits.DEFAULT.withMaxSize(bytes);
    limits = limits.andThen(environments -> environments.withMaxSize(bytes));
    return this;
  }

  /**
   * Lets the cache directory take any size, also where {@code KCACHE_MAX_SIZE} limits it.
   *
   * @return this builder
   */
  public CacheManagerBuilder withoutMaxSize() {
    limits = limits.andThen(CacheLimits::withoutMaxSize);
    return this;
  }

  /**
   * Sets how long an entry of the cache directory may go unused before it is removed. Otherwise it
   * is {@code KCACHE_MAX_AGE}, otherwise there is no limit. They go when {@link #maxSize} says.
   *
   * @param age since the last use, at most a hundred years
   * @return this builder
   * @throws IllegalArgumentException if it is not positive, or above a hundred years
   */
  public CacheManagerBuilder maxAge(Duration age) {
    Objects.requireNonNull(age, "age");
    CacheLimits unused = CacheLimits.DEFAULT.withMaxAge(age);
    limits = limits.andThen(environments -> environments.withMaxAge(age));
    return this;
  }

  /**
   * Removes no entry for its age, also where {@code KCACHE_MAX_AGE} would.
   *
   * @return this builder
   */
  public CacheManagerBuilder withoutMaxAge() {
    limits = limits.andThen(CacheLimits::withoutMaxAge);
    return this;
  }

  /**
   * Sets how long one compile may take; 10 minutes if not set. A compile that takes longer is
   * ended, and fails with a {@link dev.kcache.toolchain.CompilationTimeoutException}. Programs that
   * look for GPUs have as long.
   *
   * @param timeout at most 12 hours
   * @return this builder
   * @throws IllegalArgumentException if it is not positive, or more than 12 hours
   */
  public CacheManagerBuilder compileTimeout(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("compile timeout must be positive: " + timeout);
    }
    if (timeout.compareTo(MAXIMUM_TIMEOUT) > 0) {
      throw new IllegalArgumentException("compile timeout must be at most 12 hours: " + timeout);
    }
    this.compileTimeout = timeout;
    return this;
  }

  /**
   * Sets how many compiles may run at once; the number of processors if not set. More wait for
   * their turn.
   *
   * @param compiles at least 1
   * @return this builder
   * @throws IllegalArgumentException if it is not positive
   */
  public CacheManagerBuilder parallelism(int compiles) {
    if (compiles < 1) {
      throw new IllegalArgumentException("parallelism must be at least 1: " + compiles);
    }
    this.parallelism = compiles;
    return this;
  }

  /**
   * Compiles anew what class path and disk have, and replaces what the cache directory has. What
   * the manager then has in memory serves.
   *
   * @return this builder
   */
  public CacheManagerBuilder recompiling() {
    this.recompile = true;
    return this;
  }

  /**
   * Says that many kernels are about to be compiled with the same options. What pays only then,
   * such as precompiling the HIP header, is done with the first one of them; otherwise with the
   * second. The results are the same.
   *
   * @return this builder
   */
  public CacheManagerBuilder batching() {
    this.batch = true;
    return this;
  }

  /**
   * Sets the environment variables to read instead of this process's. Compilers that the manager
   * runs get theirs from these, too.
   *
   * @param environment the values by name; copied
   * @return this builder
   */
  public CacheManagerBuilder environment(Map<String, String> environment) {
    Objects.requireNonNull(environment, "environment");
    this.environment = Map.copyOf(environment);
    return this;
  }

  /**
   * Sets what completes the futures that the manager returns. Otherwise threads of the manager's
   * own do, as many as there is such work at a time.
   *
   * <p>The cache waits for none of it: neither compiles nor blocking requests depend on the
   * executor. A task that it refuses runs on a thread of the manager's own, with one warning; a
   * future whose task it drops never completes. On an executor with few threads, callbacks that
   * wait for other futures can wait for ever; those that call the blocking methods can't.
   *
   * @param executor the manager neither closes it nor waits for it
   * @return this builder
   */
  public CacheManagerBuilder executor(Executor executor) {
    Objects.requireNonNull(executor, "executor");
    this.executor = Objects.requireNonNull(executor);
    return this;
  }

  /**
   * Adds a listener. Each event is told to all of them, in the order in which they were added.
   *
   * @param listener hears what the manager does, on the threads that do it
   * @return this builder
   */
  public CacheManagerBuilder listener(CacheListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  /**
   * {@return a manager with these settings} Starts no thread and no process, and creates no file.
   *
   * @throws IllegalArgumentException if a variable of the environment is out of its range, or the
   *     cache is to be shared and nothing names its directory
   */
  public CacheManager build() {
    return new CacheManager(this);
  }

  Toolchains toolchains(CacheSettings settings, Workspace workspace) {
    // A later change of this builder is for the next manager.
    Map<String, String> variables = environment;
    boolean inBatches = batch;
    Duration limit = compileTimeout;
    return new Toolchains(
        toolchain,
        settings.toolchain().orElse(null),
        runtime,
        variables,
        () -> workspace.toolchainContext(variables, inBatches, limit));
  }

  static long defaultMemoryLimit(long maxHeap) {
    return Math.min(LARGEST_DEFAULT_MEMORY_LIMIT, maxHeap / SHARE_OF_HEAP);
  }
}
