// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * Fills a cache directory with as many entries as wanted, each with a code object of its own and
 * the dependencies of a real compile.
 */
public final class FillCache {
  /** As many writes as a disk can use at once. */
  private static final int UNDER_WAY = 16;

  private FillCache() {}

  /** Fills a directory, the first argument, with a number of entries, the second. */
  public static void main(String[] arguments) {
    fill(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
  }

  static void fill(Path directory, int entries) {
    Queue<CompletableFuture<CodeObject>> underWay = new ArrayDeque<>();
    try (CacheManager cache =
        SampleKernel.manager(directory)
            .toolchain(new CopyingToolchain())
            .parallelism(UNDER_WAY)
            .memoryLimit(0)
            .build()) {
      for (int i = 0; i < entries; i++) {
        KernelSource source =
            KernelSource.of("filler" + i + ".hip", "extern \"C\" __global__ void k() {}\n");
        underWay.add(cache.getOrCompileAsync(source, SampleKernel.TARGET));
        if (underWay.size() > UNDER_WAY) {
          underWay.remove().join();
        }
      }
      underWay.forEach(CompletableFuture::join);
    }
  }
}
