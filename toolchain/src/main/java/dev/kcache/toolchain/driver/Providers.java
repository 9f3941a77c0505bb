// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.ToolchainProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The providers of toolchains that this process has. */
final class Providers {
  /** Those of kcache's own artifacts. */
  private static final List<String> OWN =
      List.of(
          "dev.kcache.hiprtc.HiprtcToolchainProvider",
          "dev.kcache.llvm.LlvmToolchainProvider",
          "dev.kcache.toolchain.wsl.WslToolchainProvider");

  private Providers() {}

  /**
   * Returns the providers for a platform that this class's loader or the thread's finds, in their
   * order. Looked for anew each time: a process with a compiler of its own never gets here.
   */
  static List<ToolchainProvider> of(Platform platform) {
    List<ToolchainProvider> providers = all();
    providers.removeIf(each -> !each.platforms().contains(platform));
    providers.sort(Comparator.comparingInt(ToolchainProvider::order));
    return providers;
  }

  private static List<ToolchainProvider> all() {
    Map<String, ToolchainProvider> providers = new LinkedHashMap<>();
    ClassLoader own = ToolchainProvider.class.getClassLoader();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (sees(context)) {
      ServiceLoader.load(ToolchainProvider.class, context)
          .forEach(each -> providers.putIfAbsent(each.name(), each));
    }
    ServiceLoader.load(ToolchainProvider.class, own)
        .forEach(each -> providers.putIfAbsent(each.name(), each));
    return new ArrayList<>(providers.values());
  }

  /** A thread of a server may come with another application's copy of kcache. */
  private static boolean sees(@Nullable ClassLoader context) {
    try {
      return Class.forName(ToolchainProvider.class.getName(), false, context)
          == ToolchainProvider.class;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * Returns what to do about a provider that no service file names, though its class is there;
   * empty if there is none. Shading leaves such classes behind.
   */
  static Optional<String> lost() {
    List<String> named = all().stream().map(each -> each.getClass().getName()).toList();
    List<String> lost =
        OWN.stream().filter(each -> !named.contains(each) && isThere(each)).toList();
    return lost.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "META-INF/services/%s was lost when a jar was shaded and does not name %s: merge these files by ServicesResourceTransformer of maven-shade-plugin, or mergeServiceFiles() of Gradle's Shadow"
                .formatted(ToolchainProvider.class.getName(), String.join(", ", lost)));
  }

  private static boolean isThere(String name) {
    return ToolchainProvider.class.getResource("/" + name.replace('.', '/') + ".class") != null;
  }
}
