// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainCandidate;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** The {@linkplain ToolchainProvider providers} that are there, in the order of preference. */
final class ToolchainProviders {
  /** What stands for the platform's own compiler, whichever it is. */
  private static final List<String> DRIVERS = List.of("hipcc", "nvcc");

  /** What can be added. */
  private static final List<String> OURS = List.of("hiprtc", "llvm");

  private final List<ToolchainProvider> providers;
  private final ToolchainProvider.Surroundings surroundings;

  ToolchainProviders(
      List<ToolchainProvider> providers, ToolchainProvider.Surroundings surroundings) {
    this.providers =
        providers.stream().sorted(Comparator.comparingInt(ToolchainProvider::order)).toList();
    this.surroundings = surroundings;
  }

  /** Returns those that this class's loader and the thread's find. */
  static ToolchainProviders load(ToolchainProvider.Surroundings surroundings) {
    List<ToolchainProvider> providers = new ArrayList<>();
    ServiceLoader.load(ToolchainProvider.class).forEach(providers::add);
    if (providers.isEmpty()) {
      ServiceLoader.load(ToolchainProvider.class, ToolchainProvider.class.getClassLoader())
          .forEach(providers::add);
    }
    return new ToolchainProviders(providers, surroundings);
  }

  /** Returns whether a name is that of a platform's own compiler. */
  static boolean isDriver(String name) {
    return DRIVERS.contains(name);
  }

  /**
   * Returns the toolchain that is asked for by name.
   *
   * @throws IllegalArgumentException if there is none of that name, or not for the platform
   * @throws ToolchainNotFoundException if it can't be had on this machine
   */
  Toolchain named(String name, Platform platform) {
    ToolchainProvider provider =
        providers.stream()
            .filter(each -> each.name().equals(name) && each.platforms().contains(platform))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "there is no toolchain '%s' for %s here; KCACHE_TOOLCHAIN and --toolchain take %s%s"
                            .formatted(
                                name,
                                platform,
                                names(platform),
                                OURS.contains(name)
                                    ? "; add the artifact kcache-" + name + " to the class path"
                                    : "")));
    return provider.open(platform, surroundings);
  }

  private String names(Platform platform) {
    List<String> names = new ArrayList<>();
    names.add(driver(platform));
    providers.stream()
        .filter(each -> each.platforms().contains(platform))
        .forEach(each -> names.add(each.name()));
    return String.join(", ", names);
  }

  /** Returns the name of a platform's own compiler. */
  static String driver(Platform platform) {
    return platform == Platform.AMD ? "hipcc" : "nvcc";
  }

  /** Returns those of a platform, in their order; none is said to be in use. */
  List<ToolchainCandidate> candidates(Platform platform) {
    return providers.stream()
        .filter(each -> each.platforms().contains(platform))
        .map(
            each ->
                candidate(
                    each.name(),
                    each.isUsable(surroundings.environment()),
                    () -> each.open(platform, surroundings)))
        .toList();
  }

  /** Asks a toolchain what it is, and closes it again. */
  static ToolchainCandidate candidate(String name, boolean usable, Supplier<Toolchain> open) {
    try (Toolchain toolchain = open.get()) {
      return new ToolchainCandidate(name, usable, false, toolchain.describe());
    } catch (ToolchainNotFoundException | IllegalArgumentException e) {
      return new ToolchainCandidate(name, false, false, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the first toolchain that can be had instead of the platform's own compiler.
   *
   * @param requested the version that is set for the platform's compiler; only one of that version
   *     will do
   * @param missing what is said of the platform's own compiler
   * @throws ToolchainNotFoundException if there is none
   */
  Toolchain instead(
      Platform platform, Optional<RequestedLabel> requested, ToolchainNotFoundException missing) {
    StringBuilder lacking = new StringBuilder(String.valueOf(missing.getMessage()));
    for (ToolchainProvider provider : providers) {
      if (provider.platforms().contains(platform)
          && provider.isUsable(surroundings.environment())) {
        Toolchain toolchain = provider.open(platform, surroundings);
        if (requested.isEmpty() || requested.get().label().equals(toolchain.label())) {
          System.getLogger(ToolchainProviders.class.getName())
              .log(Level.DEBUG, "{0}; using {1}", missing.getMessage(), toolchain.describe());
          return toolchain;
        }
        lacking.append(
            "; %s=%s is set, so that %s is not used: KCACHE_TOOLCHAIN=%s would be"
                .formatted(
                    requested.get().variable(),
                    requested.get().value(),
                    toolchain.describe(),
                    provider.name()));
      }
    }
    ToolchainNotFoundException none = new ToolchainNotFoundException(lacking.toString());
    none.initCause(missing);
    throw none;
  }
}
