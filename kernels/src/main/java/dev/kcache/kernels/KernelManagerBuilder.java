// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.Experimental;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipRuntime;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Configures a {@link KernelManager}. Not safe for use by several threads.
 *
 * <pre>{@code
 * KernelManager kernels =
 *     KernelManager.builder()
 *         .device(HipRuntime.find().device("GPU-0e12865a"))
 *         .cache(cache) // shared with managers of other devices
 *         .build();
 * }</pre>
 */
public final class KernelManagerBuilder {
  private static final String FIRST_DEVICE = "0";

  private @Nullable HipDevice device;
  @Nullable CacheManager cache;
  @Nullable Executor executor;
  private Map<String, String> environment = System.getenv();
  private boolean survivesFaults;

  KernelManagerBuilder() {}

  /**
   * Sets the device of requests that name none. The default is device 0 of the runtime that the
   * environment leads to.
   *
   * @param device loads and runs the kernels
   * @return this builder
   */
  public KernelManagerBuilder device(HipDevice device) {
    this.device = Objects.requireNonNull(device, "device");
    return this;
  }

  /**
   * Sets the cache that code objects come from, which the manager does not close. By default it
   * makes one of its own, which knows the {@linkplain dev.kcache.cache.CacheManagerBuilder#runtime
   * release of the runtime}.
   *
   * @param cache may serve other managers, too
   * @return this builder
   */
  public KernelManagerBuilder cache(CacheManager cache) {
    this.cache = Objects.requireNonNull(cache, "cache");
    return this;
  }

  /**
   * Sets the executor that completes the futures of the manager. By default the manager's own
   * threads do, as many as there is such work at a time. The executor loads no modules, and
   * blocking requests do not depend on it: a task that it refuses runs on a thread of the manager's
   * own, with one warning; a future whose task it drops never completes. A cache that is made here
   * completes its own futures as by default.
   *
   * @param executor runs what callers add to the futures
   * @return this builder
   * @see dev.kcache.cache.CacheManagerBuilder#executor
   */
  public KernelManagerBuilder executor(Executor executor) {
    Objects.requireNonNull(executor, "executor");
    this.executor = Objects.requireNonNull(executor);
    return this;
  }

  /**
   * Asks that a fault of a GPU is an exception instead of the end of the process, as {@link
   * HipRuntime#surviveFaults()} does: for the whole process, and as far as the runtime allows.
   *
   * @return this builder
   */
  @Experimental
  public KernelManagerBuilder surviveFaults() {
    survivesFaults = true;
    return this;
  }

  /**
   * Sets the environment variables to read instead of this process's. A cache that is {@linkplain
   * #cache set} has its own.
   *
   * @param environment values by names; copied
   * @return this builder
   */
  public KernelManagerBuilder environment(Map<String, String> environment) {
    Objects.requireNonNull(environment, "environment");
    this.environment = Map.copyOf(environment);
    return this;
  }

  /**
   * Makes the manager. Compiles and loads nothing yet.
   *
   * @return a new manager, which the caller closes
   * @throws dev.kcache.hip.HipUnavailableException if no device is set and this machine has no
   *     usable HIP runtime
   * @throws dev.kcache.hip.HipDeviceNotFoundException if none is set and there is none
   * @throws IllegalArgumentException if a variable of the environment is out of its range
   */
  public KernelManager build() {
    return new KernelManager(this);
  }

  HipDevice chooseDevice() {
    HipDevice chosen = device != null ? device : HipRuntime.find(environment).device(FIRST_DEVICE);
    if (survivesFaults) {
      HipRuntime unused = chosen.runtime().surviveFaults();
    }
    return chosen;
  }

  /** A cache that is made here knows which version this device's runtime has. */
  CacheManager chooseCache(HipDevice device) {
    if (cache != null) {
      return cache;
    }
    HipRuntime runtime = device.runtime();
    return CacheManager.builder()
        .environment(environment)
        .runtime(ToolchainLabel.ofVersion(runtime.platform(), runtime.release()))
        .build();
  }
}
