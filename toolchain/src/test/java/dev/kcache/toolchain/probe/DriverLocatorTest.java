// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverLocatorTest {
  private static final List<String> KINDS = List.of("hipcc", "amdclang++");

  @TempDir Path root;

  @Test
  void notFound_onWindows_namesItsPlacesAndWhatToInstall() {
    Environment variables = new Environment(Map.of("ProgramFiles", root + "/Program Files"));

    assertThat(locator(variables).notFound(KINDS))
        .hasMessage(
            "no hipcc in PATH, "
                + root
                + "/Program Files/AMD/ROCm/*/bin, and no amdclang++; install AMD's HIP SDK, or ROCm"
                + " in WSL (wsl --install; KCACHE_TOOLCHAIN=wsl), or set KCACHE_COMPILER to its"
                + " path");
  }

  /** Names of variables do not differ by case there, and PATH is Path. */
  @ParameterizedTest
  @ValueSource(strings = {"PATH", "Path"})
  void searchPath_isThatOfEitherName(String name) {
    assertThat(new Environment(Map.of(name, "/some/bin")).searchPath())
        .containsExactly(Path.of("/some/bin"));
  }

  private DriverLocator locator(Environment variables) {
    return new DriverLocator(Platform.AMD, variables, root, new RocmFinder(variables, root, true));
  }
}
