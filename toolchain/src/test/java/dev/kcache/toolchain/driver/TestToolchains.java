// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.ToolchainContext;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Finds compilers for tests, which compile now and then and have no directory of a cache. */
final class TestToolchains {
  private TestToolchains() {}

  static DriverToolchain find(
      Platform platform,
      Map<String, String> environment,
      Supplier<Path> stagingParent,
      Optional<Path> memoDirectory) {
    return find(platform, environment, stagingParent, memoDirectory, InstantSource.system());
  }

  static DriverToolchain find(
      Platform platform,
      Map<String, String> environment,
      Supplier<Path> stagingParent,
      Optional<Path> memoDirectory,
      InstantSource clock) {
    return DriverToolchain.find(
        DriverKind.of(platform),
        new ToolchainContext(
            environment,
            stagingParent,
            Optional::empty,
            memoDirectory,
            false,
            // No less than any question takes.
            Duration.ofHours(1)),
        clock);
  }
}
