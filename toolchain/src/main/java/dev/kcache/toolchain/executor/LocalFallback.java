// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.DriverToolchain;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Compiles here while an executor can't be reached, if the compiler here is the same one: a result
 * is kept under the identity of the compiler that was asked for.
 *
 * <p>Safe for use by any number of threads.
 */
final class LocalFallback implements AutoCloseable {
  /** For how long an executor that was not there is not asked again. */
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private record Gone(ToolchainNotFoundException reason, Instant until) {}

  private final ToolchainContext context;
  private final InstantSource clock;
  private volatile @Nullable Gone gone;
  private @Nullable DriverToolchain here;

  LocalFallback(ToolchainContext context, InstantSource clock) {
    this.context = context;
    this.clock = clock;
  }

  /** Returns why the executor is not to be asked now; null if it is. */
  @Nullable ToolchainNotFoundException reason() {
    Gone last = gone;
    return last == null || clock.instant().isAfter(last.until()) ? null : last.reason();
  }

  /** Remembers that the executor can't be reached. */
  void note(ToolchainNotFoundException reason) {
    gone = new Gone(reason, clock.instant().plus(PAUSE));
  }

  /**
   * Compiles a job.
   *
   * @param wanted the identity of the compiler that was asked for
   * @param reason thrown if the compiler here is another one, or there is none
   */
  Toolchain.Output compile(Toolchain.Job job, Digest wanted, ToolchainNotFoundException reason)
      throws InterruptedException {
    DriverToolchain local;
    try {
      local = here();
      if (!local.identity(job.target(), job.options()).equals(wanted)) {
        throw reason;
      }
    } catch (ToolchainNotFoundException | IllegalArgumentException e) {
      throw reason;
    }
    Notices.warn(
        System.getLogger(LocalFallback.class.getName()),
        reason.getMessage() + "; compiling with " + local.describe() + " here");
    return local.compile(job);
  }

  private synchronized DriverToolchain here() {
    DriverToolchain found = here;
    if (found == null) {
      found = DriverToolchain.find(Platform.AMD, context);
      here = found;
    }
    return found;
  }

  @Override
  public synchronized void close() {
    if (here != null) {
      here.close();
    }
  }
}
