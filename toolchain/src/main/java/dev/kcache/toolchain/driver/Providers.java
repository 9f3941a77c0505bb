// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.ToolchainProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The providers of toolchains that this process has. */
final class Providers {
  private Providers() {}

  /**
   * Returns the providers for a platform that this class's loader or the thread's finds, in their
   * order. Looked for anew each time: a process with a compiler of its own never gets here.
   */
  static List<ToolchainProvider> of(Platform platform) {
    List<ToolchainProvider> providers = new ArrayList<>();
    ServiceLoader.load(ToolchainProvider.class).forEach(providers::add);
    if (providers.isEmpty()) {
      ServiceLoader.load(ToolchainProvider.class, ToolchainProvider.class.getClassLoader())
          .forEach(providers::add);
    }
    providers.removeIf(each -> !each.platforms().contains(platform));
    providers.sort(Comparator.comparingInt(ToolchainProvider::order));
    return providers;
  }
}
