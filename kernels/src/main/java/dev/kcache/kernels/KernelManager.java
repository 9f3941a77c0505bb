// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.callback.CallbackExecutor;
import dev.kcache.cache.device.DeviceRequests;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipUnavailableException;
import dev.kcache.hip.UnsupportedCodeObjectException;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Notices;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * From HIP source to a kernel that can be launched: finds or compiles the code object through a
 * {@link CacheManager} and loads it on a device.
 *
 * <pre>{@code
 * try (KernelManager kernels = KernelManager.create()) {
 *   LoadedModule module = kernels.getOrCompile(KernelSource.read(Path.of("saxpy.hip")));
 *   module.function("saxpy").launch(LaunchConfig.of(blocks, 256), stream, arguments);
 * }
 * }</pre>
 *
 * <p><b>Concurrency.</b> Safe for use by any number of threads. A code object is loaded once for
 * each device, however many threads ask for it at once. The futures that are returned complete on
 * the {@linkplain KernelManagerBuilder#executor executor}, and never on a thread that others wait
 * for: their callbacks may request other kernels, wait for them, and close the manager. Blocking
 * requests do not depend on the executor.
 *
 * <p><b>A code object that the driver refuses</b>, although it passed every check, is passed over:
 * the cache looks for another one or compiles the source anew, for this process only. If the driver
 * refuses that as well, the request fails, now and later.
 *
 * <p>Closing the manager unloads what it loaded; requests then throw {@link IllegalStateException}.
 */
public final class KernelManager implements AutoCloseable {
  /**
   * Invalid image, no binary for this GPU, invalid kernel file, PTX newer than the driver, shared
   * object not initialized.
   */
  private static final Set<Integer> REFUSED = Set.of(200, 209, 218, 222, 303);

  private final HipDevice device;
  private final CacheManager cache;
  private final boolean ownsCache;
  private final DeviceRequests<KernelSource, CacheResult> requests;
  private final ModuleTable modules;
  private final IndexErrors indexErrors;
  private final Map<Refusal, KernelLoadException> refusals = new ConcurrentHashMap<>();
  private final CallbackExecutor callbacks;

  /** What failed for good: a source on a device. */
  private record Refusal(HipDevice device, Digest source) {
    static Refusal of(HipDevice device, KernelSource source) {
      return new Refusal(device, source.digest());
    }
  }

  KernelManager(KernelManagerBuilder builder) {
    device = builder.chooseDevice();
    ownsCache = builder.cache == null;
    cache = builder.chooseCache(device);
    requests = cache.deviceRequests();
    modules = new ModuleTable();
    indexErrors = new IndexErrors(device);
    callbacks = new CallbackExecutor(builder.executor);
  }

  /**
   * {@return a manager for device 0, with the default cache and this process's environment}
   *
   * @throws HipUnavailableException if this machine has no usable HIP runtime
   * @throws dev.kcache.hip.HipDeviceNotFoundException if it has no device
   * @throws IllegalArgumentException if a variable of the environment is out of its range
   */
  public static KernelManager create() {
    return builder().build();
  }

  /** {@return a builder with the defaults and this process's environment} */
  public static KernelManagerBuilder builder() {
    return new KernelManagerBuilder();
  }

  /** {@return the device of requests that name none} */
  public HipDevice device() {
    return device;
  }

  /** Returns what kernels on the manager's device say of indices. */
  IndexErrors indexErrors() {
    return indexErrors;
  }

  /** {@return the cache that code objects come from} */
  public CacheManager cache() {
    return cache;
  }

  /**
   * Does what {@link #getOrCompile(KernelSource, HipDevice)} does, for the manager's device.
   *
   * @param source the kernels and what they include
   * @return the module on {@link #device}, shared by all callers
   */
  public LoadedModule getOrCompile(KernelSource source) {
    return getOrCompile(source, device);
  }

  /**
   * Returns the module of {@code source} on {@code device}, which all callers share. Its code
   * object is for the builder's target, {@code KCACHE_ARCH} or {@code ARCH} if there is one; else
   * it is the one for the device's exact target ID if the cache has it, else one for its processor
   * with any features; where no compiler makes that, one for its generic target if the cache has
   * it.
   *
   * @param source the kernels and what they include
   * @param device any device, not only the manager's own
   * @return the module, usable until the manager is closed
   * @throws CompilationException if the compiler fails or exceeds its time; nothing is stored
   * @throws dev.kcache.toolchain.ToolchainNotFoundException if a compile is needed and there is no
   *     compiler
   * @throws dev.kcache.cache.CacheMissException if a compile is needed and the policy forbids it
   * @throws KernelLoadException if the driver refuses what the cache has and what was compiled anew
   * @throws HipException if the runtime fails otherwise; nothing is loaded
   * @throws dev.kcache.hip.UnsupportedDeviceException if kcache does not know the device's
   *     processor
   * @throws IllegalArgumentException if a target is set that does not run on the device, or a
   *     variable of the environment is out of its range or contradicts the compiler that is about
   *     to run
   * @throws java.util.concurrent.CancellationException if the calling thread is interrupted while
   *     it waits for a compile, which goes on
   */
  public LoadedModule getOrCompile(KernelSource source, HipDevice device) {
    requireNonNull(source, "source");
    requireNonNull(device, "device");
    Set<Digest> refused = new HashSet<>();
    while (true) {
      requireServed(source, device);
      CacheResult result = requests.resolve(source, device.target());
      Optional<LoadedModule> loaded = load(source, device, result, refused);
      if (loaded.isPresent()) {
        return loaded.get();
      }
    }
  }

  /**
   * Does what {@link #getOrCompileAsync(KernelSource, HipDevice)} does, for the manager's device.
   *
   * @param source the kernels and what they include
   * @return what completes with the module on {@link #device}
   */
  public CompletableFuture<LoadedModule> getOrCompileAsync(KernelSource source) {
    return getOrCompileAsync(source, device);
  }

  /**
   * As {@link #getOrCompile(KernelSource, HipDevice)}, without waiting: the future fails with the
   * exceptions of that method. Cancelling it ends neither compile nor load, which others may wait
   * for.
   *
   * @param source the kernels and what they include
   * @param device any device, not only the manager's own
   * @return what completes with the module, on the {@linkplain KernelManagerBuilder#executor
   *     executor}; of each call a future of its own
   */
  public CompletableFuture<LoadedModule> getOrCompileAsync(KernelSource source, HipDevice device) {
    requireNonNull(source, "source");
    requireNonNull(device, "device");
    Executor context = requests.context();
    return callbacks.deliver(
        loadAsync(
            source,
            device,
            new HashSet<>(),
            task -> callbacks.onOwnThread(() -> context.execute(task))));
  }

  /**
   * Resolves and loads.
   *
   * @param loads runs loads in the caller's context, on a thread that may be kept busy, whatever
   *     executors the caller chose
   */
  private CompletableFuture<LoadedModule> loadAsync(
      KernelSource source, HipDevice device, Set<Digest> refused, Executor loads) {
    return resolveAsync(source, device)
        .thenApplyAsync(result -> load(source, device, result, refused), loads)
        .thenCompose(
            loaded ->
                loaded
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(() -> loadAsync(source, device, refused, loads)));
  }

  private CompletableFuture<CacheResult> resolveAsync(KernelSource source, HipDevice device) {
    try {
      requireServed(source, device);
      return requests.resolveAsync(source, device.target());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * {@return a kernel of a source on the manager's device, usable until the manager is closed}
   *
   * @param source the kernels and what they include
   * @param name as {@link LoadedModule#function} takes it
   * @throws IllegalArgumentException if the source has no such kernel; and what {@link
   *     #getOrCompile(KernelSource)} throws
   */
  public HipFunction kernel(KernelSource source, String name) {
    requireNonNull(name, "name");
    return getOrCompile(source).function(name);
  }

  /**
   * Loads a code object of the cache; returns nothing if the driver refused it, so that it is
   * passed over.
   *
   * @param refused what the driver refused in this call so far; given that again, the cache has
   *     nothing else
   */
  private Optional<LoadedModule> load(
      KernelSource source, HipDevice device, CacheResult result, Set<Digest> refused) {
    try {
      LoadedModule module =
          modules.getOrLoad(
              device,
              result.codeObject(),
              () -> requests.loading(source, result, device.ordinal()));
      return Optional.of(module.named(result));
    } catch (HipException e) {
      if (!REFUSED.contains(e.code())) {
        throw e;
      }
      passOver(source, device, result, refused, e);
    } catch (UnsupportedCodeObjectException e) {
      passOver(source, device, result, refused, e);
    }
    return Optional.empty();
  }

  private void passOver(
      KernelSource source,
      HipDevice device,
      CacheResult result,
      Set<Digest> refused,
      RuntimeException reason) {
    CodeObject code = result.codeObject();
    if (result.origin() == CacheResult.Origin.COMPILED || !refused.add(code.digest())) {
      KernelLoadException failure = new KernelLoadException(source.name(), device, code, reason);
      refusals.put(Refusal.of(device, source), failure);
      throw failure;
    }
    Notices.warn(
        System.getLogger(KernelManager.class.getName()),
        "%s: the driver of device %d refuses code object %s, which is passed over: %s"
            .formatted(source.name(), device.ordinal(), code.digest(), reason.getMessage()));
    requests.bypass(source, code);
  }

  private void requireServed(KernelSource source, HipDevice device) {
    modules.requireOpen();
    KernelLoadException failure = refusals.get(Refusal.of(device, source));
    if (failure != null) {
      throw failure.forCaller();
    }
  }

  /**
   * Unloads every module once its launches are done, and closes the cache unless the builder was
   * given one. Does not wait for callbacks. Closing twice has no effect.
   */
  @Override
  public void close() {
    modules.close();
    indexErrors.close();
    if (ownsCache) {
      cache.close();
    }
    callbacks.close();
  }
}
