// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Managers over one cache directory, with one compiler that can be held, broken and changed. */
abstract class CacheTestBase {
  static final TargetId GFX90A = TargetId.parse("gfx90a");
  static final KernelSource SOURCE = source("k");
  static final KernelSource OTHER = source("other");

  @TempDir Path temp;
  final FakeToolchain toolchain = new FakeToolchain();

  static KernelSource source(String name) {
    return KernelSource.of(
        name + ".hip", "extern \"C\" __global__ void " + name.replace('-', '_') + "() {}\n");
  }

  final Path root() {
    return temp.resolve("cache");
  }

  /** Returns the environment that names the directory, with more variables, in pairs. */
  final Map<String, String> environment(String... variables) {
    Map<String, String> environment = new HashMap<>(Map.of("KCACHE_DIR", root().toString()));
    for (int i = 0; i < variables.length; i += 2) {
      environment.put(variables[i], variables[i + 1]);
    }
    return environment;
  }

  CacheManagerBuilder builder(String... variables) {
    return CacheManager.builder().environment(environment(variables)).toolchain(toolchain);
  }

  final CacheManager manager(String... variables) {
    return builder(variables).build();
  }

  /** Makes what later managers find on disk. */
  final void fill(KernelSource... sources) {
    try (CacheManager cache = manager()) {
      for (KernelSource source : sources) {
        cache.getOrCompile(source, GFX90A);
      }
    }
  }

  static CacheResult.Origin origin(CacheManager cache, KernelSource source) {
    return cache.resolveAsync(source, GFX90A).join().origin();
  }

  /** Returns where a manager of its own has a kernel from. */
  static CacheResult.Origin origin(CacheManagerBuilder builder, KernelSource source) {
    try (CacheManager cache = builder.build()) {
      return origin(cache, source);
    }
  }

  /** Waits for what has to come within seconds. */
  static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it does not come");
      }
      Thread.onSpinWait();
    }
  }

  /** Returns the files below a directory whose paths end like this. */
  static List<Path> files(Path directory, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }
}
