// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainCandidate;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import dev.kcache.toolchain.ToolchainProvider.Surroundings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The compiler of each platform: the builder's for all, else what {@code KCACHE_TOOLCHAIN} names,
 * else the platform's own, {@code hipcc} or {@code nvcc}, else the first {@linkplain
 * ToolchainProvider provider's} that can be had. Looked for when a request first needs it.
 *
 * <p>A version that is set for a platform says which compiler is meant: no provider's of another
 * version takes the place of one that is not there. One that was asked for by name is taken
 * whatever version of ROCm or CUDA is set.
 *
 * <p>Safe for use by any number of threads, of which one looks; a failure is thrown and not
 * remembered. Closing it ends the compilers that were found here.
 */
public final class Toolchains implements AutoCloseable {
  private final @Nullable Toolchain given;
  private final Map<String, String> environment;
  private final Supplier<Surroundings> surroundings;
  private final Optional<String> wanted;
  private final Map<Platform, Toolchain> found = new ConcurrentHashMap<>();
  private final Map<Platform, Optional<RequestedLabel>> requested = new ConcurrentHashMap<>();

  /**
   * Finds nothing yet.
   *
   * @param given compiles for every platform, unless it is null
   * @param wanted the name of the toolchain that is asked for, if one is
   * @param surroundings returns what a toolchain may use, once one is needed
   * @throws IllegalArgumentException if a variable for ROCm's version holds none; one for CUDA's is
   *     looked at when it is needed, since others set it too
   */
  public Toolchains(
      @Nullable Toolchain given,
      Optional<String> wanted,
      Map<String, String> environment,
      Supplier<Surroundings> surroundings) {
    this.given = given;
    this.wanted = wanted;
    this.environment = environment;
    this.surroundings = surroundings;
    requested(Platform.AMD);
  }

  /**
   * Returns the compiler for a platform.
   *
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment names something else
   */
  public Toolchain of(Platform platform) {
    if (given != null) {
      return given;
    }
    Toolchain known = found.get(platform);
    return known != null ? known : find(platform);
  }

  /**
   * Returns what is compiled for a device where nobody names a target; the device's own if nothing
   * is.
   */
  public TargetId targetFor(TargetId device) {
    try {
      return of(device.processor().platform()).targetFor(device);
    } catch (ToolchainNotFoundException e) {
      // What is kept may do; who compiles says what is missing.
      return device;
    }
  }

  private synchronized Toolchain find(Platform platform) {
    Toolchain toolchain = found.get(platform);
    if (toolchain == null) {
      toolchain = isOwn() ? own(platform) : named(wanted.get(), platform);
      found.put(platform, toolchain);
    }
    return toolchain;
  }

  /** Returns whether the platform's own compiler is meant. */
  private boolean isOwn() {
    return wanted.isEmpty() || ToolchainProviders.isDriver(wanted.get());
  }

  /** Returns the name of the toolchain that is asked for, if one is. */
  public Optional<String> wanted() {
    return wanted;
  }

  /** Returns what there is for a platform, in the order in which it is taken. */
  public List<ToolchainCandidate> candidates(Platform platform) {
    List<ToolchainCandidate> all = new ArrayList<>();
    String driver = ToolchainProviders.driver(platform);
    all.add(
        ToolchainProviders.candidate(
            driver, true, () -> DriverToolchain.find(platform, surroundings.get())));
    all.addAll(providers().candidates(platform));
    Optional<String> used = used(platform, all);
    return all.stream()
        .map(
            each ->
                new ToolchainCandidate(
                    each.name(),
                    each.present(),
                    used.filter(each.name()::equals).isPresent(),
                    each.description()))
        .toList();
  }

  /** Returns the name of the one that is in use, if that is none of the builder's. */
  private Optional<String> used(Platform platform, List<ToolchainCandidate> all) {
    if (given != null) {
      return Optional.empty();
    }
    if (!isOwn()) {
      return wanted;
    }
    try {
      // Each has a label of its own kind.
      ToolchainLabel label = of(platform).label();
      for (ToolchainCandidate each : all) {
        if (each.present() && label.isOf(each.name())) {
          return Optional.of(each.name());
        }
      }
    } catch (ToolchainNotFoundException | IllegalArgumentException e) {
      // There is none to compile with.
    }
    return Optional.empty();
  }

  private Toolchain own(Platform platform) {
    try {
      return DriverToolchain.find(platform, surroundings.get());
    } catch (ToolchainNotFoundException e) {
      // What was asked for is not replaced, whether by the name of a compiler or by its place.
      if (wanted.isPresent() || CompilerVariables.askForOne(platform, environment)) {
        throw e;
      }
      return providers().instead(platform, requested(platform), e);
    }
  }

  /** It looks elsewhere for what a variable says in vain. */
  private Toolchain named(String name, Platform platform) {
    Toolchain toolchain = providers().named(name, platform);
    // CUDA's directories concern nvcc only.
    if (platform == Platform.AMD) {
      CompilerVariables.fault(platform, environment).ifPresent(Toolchains::warn);
    }
    return toolchain;
  }

  /** Tells of variables with flags, which a compile here does without. */
  public void warnOfIgnoredFlags(Platform platform) {
    if (given == null && isOwn()) {
      CompilerVariables.ignoredFlags(platform, environment).ifPresent(Toolchains::warn);
    }
  }

  private static void warn(String problem) {
    Notices.warn(System.getLogger(Toolchains.class.getName()), problem);
  }

  /** Looked for anew each time: a process with a compiler of its own never gets here. */
  private ToolchainProviders providers() {
    return ToolchainProviders.load(surroundings.get());
  }

  /**
   * Returns the label that a variable sets for a platform, if one does and it counts.
   *
   * @throws IllegalArgumentException if it holds no version
   */
  public Optional<RequestedLabel> requested(Platform platform) {
    if (!isOwn()) {
      return Optional.empty();
    }
    Optional<RequestedLabel> label = requested.get(platform);
    if (label == null) {
      label = RequestedLabel.in(environment, platform);
      requested.put(platform, label);
    }
    return label;
  }

  @Override
  public synchronized void close() {
    for (Toolchain toolchain : found.values()) {
      toolchain.close();
    }
  }
}
