// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.DriverLocator;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A driver that is on this machine.
 *
 * @param program an executable file
 */
record FoundDriver(DriverKind kind, Path program) {
  /**
   * Finds the first driver of some kinds: the one that a variable names, else the first in the
   * places where drivers are.
   *
   * @param kinds all of one platform
   * @param root the root of the filesystem, below which the usual places are
   * @throws ToolchainNotFoundException if there is none, or the variable names none
   * @throws IllegalArgumentException if the variable names one of another kind
   */
  static FoundDriver find(List<DriverKind> kinds, Environment variables, Path root) {
    DriverLocator locator = new DriverLocator(kinds.get(0).platform(), variables, root);
    Optional<Path> named = locator.named();
    if (named.isPresent()) {
      DriverKind kind = kindOf(kinds.get(0).platform(), named.get());
      if (!kinds.contains(kind)) {
        throw new IllegalArgumentException(
            "KCACHE_TOOLCHAIN=%s contradicts %s=%s, which is of kind %s; unset one of them"
                .formatted(kinds.get(0), locator.variable(), named.get(), kind));
      }
      return new FoundDriver(kind, named.get());
    }
    List<String> programs = kinds.stream().map(DriverKind::program).toList();
    Path found = locator.find(programs).orElseThrow(() -> locator.notFound(programs));
    DriverKind kind = kindOf(kinds.get(0).platform(), found);
    if (kind != kinds.get(0)) {
      System.getLogger(FoundDriver.class.getName())
          .log(Level.DEBUG, "no {0} beside {1}; using that", kinds.get(0), found);
    }
    return new FoundDriver(kind, found);
  }

  /** Returns which of a platform's kinds a program is. */
  static DriverKind kindOf(Platform platform, Path program) {
    return platform == Platform.AMD ? DriverKind.ofProgram(program) : DriverKind.NVCC;
  }
}
