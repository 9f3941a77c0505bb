// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A crate, and caches that compile it with the cargo beside the rustc of PATH. Where a machine has
 * none, each test checks that this is said.
 */
abstract class RustCrateTestBase {
  static final TargetId GFX90A = TargetId.parse("gfx90a");

  @TempDir Path temporary;

  Path directory;
  Path crate;
  Path stagings;

  @BeforeEach
  final void prepare() throws IOException, InterruptedException {
    directory = temporary.toRealPath();
    stagings = Files.createDirectory(directory.resolve("stagings"));
    crate = directory.resolve("p/kernels");
    write(crate);
  }

  @AfterEach
  final void nothingIsLeftBehind() throws IOException {
    try (Stream<Path> left = Files.list(stagings)) {
      assertThat(left).isEmpty();
    }
  }

  /** Writes the crate into a directory. */
  abstract void write(Path crate) throws IOException, InterruptedException;

  /** Returns the crate as what a test compiles. */
  abstract KernelSource source();

  /** Returns what the environment has besides. */
  abstract Map<String, String> variables();

  static void put(Path crate, String name, String text) throws IOException {
    Path file = crate.resolve(name).normalize();
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  final CacheManager in(String cache, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("RUSTC_BOOTSTRAP", "1");
    environment.put("KCACHE_DIR", directory.resolve(cache).toString());
    environment.put("TMPDIR", stagings.toString());
    environment.putAll(variables());
    environment.putAll(more);
    KnownCompilers.give(directory.resolve(cache));
    return CacheManager.builder().environment(environment).build();
  }

  /** What a test does with a rustc. */
  @FunctionalInterface
  interface Body {
    void run(CacheManager cache) throws Exception;
  }

  final void with(Body body) throws Exception {
    try (CacheManager cache = in("cache", Map.of())) {
      if (Rustcs.ofPath().isPresent()) {
        body.run(cache);
      } else {
        assertThatThrownBy(() -> cache.getOrCompile(source(), GFX90A))
            .isInstanceOf(ToolchainNotFoundException.class)
            .hasMessageStartingWith("no rustc in PATH");
      }
    }
    KnownCompilers.keep(directory.resolve("cache"));
  }
}
