// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** An application that asks for many kernels at once. */
public final class ManyKernels {
  private ManyKernels() {}

  /**
   * Gets each kernel for each target and prints how many there were, how many nanoseconds they
   * took, and how many it took to close the cache.
   *
   * @param arguments the targets, separated by commas, and the sources
   */
  public static void main(String[] arguments) {
    long begin = System.nanoTime();
    List<TargetId> targets = Stream.of(arguments[0].split(",", -1)).map(TargetId::parse).toList();
    List<CompletableFuture<CodeObject>> kernels = new ArrayList<>();
    long end;
    try (CacheManager cache = CacheManager.create()) {
      for (int i = 1; i < arguments.length; i++) {
        KernelSource source = KernelSource.read(Path.of(arguments[i]));
        for (TargetId target : targets) {
          kernels.add(cache.getOrCompileAsync(source, target));
        }
      }
      kernels.forEach(CompletableFuture::join);
      end = System.nanoTime();
    }
    System.out.printf(
        "%d kernels, %d ns, %d ns%n", kernels.size(), end - begin, System.nanoTime() - end);
  }
}
