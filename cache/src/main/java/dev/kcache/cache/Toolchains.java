// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.toolchain.CompileTimes;
import dev.kcache.cache.toolchain.DriverToolchain;
import dev.kcache.cache.toolchain.RequestedLabel;
import dev.kcache.codeobject.Platform;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The compiler of each platform: the builder's for all, else what the environment leads to, looked
 * for when a request first needs it.
 *
 * <p>Safe for use by any number of threads, of which one looks; a failure is thrown and not
 * remembered. Closing it ends the compilers that were found here.
 */
final class Toolchains implements AutoCloseable {
  private final @Nullable Toolchain given;
  private final Map<String, String> environment;
  private final Workspace workspace;
  private final boolean batch;
  private final Map<Platform, DriverToolchain> found = new ConcurrentHashMap<>();
  private final Map<Platform, Optional<RequestedLabel>> requested = new ConcurrentHashMap<>();
  private @Nullable CompileTimes times;

  /**
   * Finds nothing yet.
   *
   * @param given compiles for every platform, unless it is null
   * @param workspace where compilers work and what is found out about them is remembered
   * @param batch whether many compiles with the same options are to come
   * @throws IllegalArgumentException if a variable for ROCm's version holds none; one for CUDA's is
   *     looked at when it is needed, since others set it too
   */
  Toolchains(
      @Nullable Toolchain given,
      Map<String, String> environment,
      Workspace workspace,
      boolean batch) {
    this.given = given;
    this.environment = environment;
    this.workspace = workspace;
    this.batch = batch;
    requested(Platform.AMD);
  }

  /**
   * Returns the compiler for a platform.
   *
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment names something else
   */
  Toolchain of(Platform platform) {
    if (given != null) {
      return given;
    }
    DriverToolchain known = found.get(platform);
    return known != null ? known : find(platform);
  }

  private synchronized DriverToolchain find(Platform platform) {
    DriverToolchain toolchain = found.get(platform);
    if (toolchain == null) {
      toolchain =
          DriverToolchain.find(platform, environment, workspace, workspace.memoDirectory(), batch);
      found.put(platform, toolchain);
    }
    return toolchain;
  }

  /**
   * Returns the label that a variable sets for a platform, if one does.
   *
   * @throws IllegalArgumentException if it holds no version
   */
  Optional<RequestedLabel> requested(Platform platform) {
    Optional<RequestedLabel> label = requested.get(platform);
    if (label == null) {
      label = RequestedLabel.in(environment, platform);
      requested.put(platform, label);
    }
    return label;
  }

  /** Returns how long compiles took on this host. */
  synchronized CompileTimes times() {
    CompileTimes made = times;
    if (made == null) {
      made = CompileTimes.in(workspace.memoDirectory());
      times = made;
    }
    return made;
  }

  /** Also keeps what was learnt of the times. */
  @Override
  public synchronized void close() {
    for (DriverToolchain toolchain : found.values()) {
      toolchain.close();
    }
    if (times != null) {
      times.save();
    }
  }
}
