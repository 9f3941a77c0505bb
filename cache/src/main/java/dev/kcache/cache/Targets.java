// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.driver.DetectedTarget;
import dev.kcache.toolchain.driver.TargetDetector;
import dev.kcache.toolchain.driver.Toolchains;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The targets that a manager compiles for: the builder's, else the environment's, else what this
 * machine has, looked for when first needed.
 *
 * <p>Safe for use by any number of threads, of which one looks. A failure is not remembered.
 */
final class Targets {
  private final @Nullable TargetId configured;
  private final Map<String, String> environment;
  private final Workspace workspace;
  private final Duration timeout;
  private final Toolchains toolchains;
  private volatile @Nullable Candidates candidates;
  private final Object detectorLock = new Object();
  private @Nullable TargetDetector detector;

  /** Looks for nothing yet; later, a tool may take {@code timeout} to list the GPUs. */
  Targets(
      @Nullable TargetId configured,
      Map<String, String> environment,
      Workspace workspace,
      Duration timeout,
      Toolchains toolchains) {
    this.configured = configured;
    this.environment = environment;
    this.workspace = workspace;
    this.timeout = timeout;
    this.toolchains = toolchains;
    candidates = configured == null ? null : new Candidates(List.of(configured), false);
  }

  /**
   * Returns the targets to look for when a request names none, in order; what is missing is
   * compiled for the last.
   *
   * @throws TargetDetectionException if there is none, or no single one
   * @throws IllegalArgumentException if a variable names no target, or a family of several
   */
  Candidates candidates() {
    Candidates found = candidates;
    return found != null ? found : find();
  }

  /** Returns {@link #candidates()} if they have been looked for, else null; never waits. */
  @Nullable Candidates knownCandidates() {
    return candidates;
  }

  private synchronized Candidates find() {
    Candidates found = candidates;
    if (found == null) {
      DetectedTarget detected = detector().detect();
      found =
          new Candidates(
              detected.detected() ? exactThenAny(detected.target()) : List.of(detected.target()),
              false);
      candidates = found;
    }
    return found;
  }

  /**
   * As {@link #candidates()}, for a device that is open.
   *
   * @throws IllegalArgumentException if a target is set that does not run on it
   */
  Candidates candidates(TargetId device) {
    Optional<TargetId> wanted =
        configured != null ? Optional.of(configured) : detector().configured();
    if (wanted.isEmpty()) {
      return new Candidates(exactThenAny(device), false);
    }
    if (!wanted.get().runsOn(device)) {
      throw new IllegalArgumentException(
          "the target is set to %s (by KCACHE_ARCH, ARCH or the builder), but the device is %s; unset it, or choose another device"
              .formatted(wanted.get(), device));
    }
    return new Candidates(List.of(wanted.get()), false);
  }

  /** Returns what looks at this machine; waits for no look that is under way. */
  TargetDetector detector() {
    synchronized (detectorLock) {
      TargetDetector made = detector;
      if (made == null) {
        made =
            new TargetDetector(
                environment, workspace, workspace.memoDirectory().orElse(null), timeout);
        detector = made;
      }
      return made;
    }
  }

  private List<TargetId> exactThenAny(TargetId device) {
    TargetId any =
        device.processor().platform() == Platform.NVIDIA
            ? toolchains.targetFor(device)
            : device.withAnyFeatures();
    return any.equals(device) ? List.of(device) : List.of(device, any);
  }
}
