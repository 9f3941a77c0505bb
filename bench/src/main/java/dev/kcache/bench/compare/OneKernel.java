// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;

/** A user's program that gets one kernel. */
public final class OneKernel {
  private OneKernel() {}

  /**
   * Gets the kernel.
   *
   * @param arguments the source, and the target
   */
  public static void main(String[] arguments) {
    try (CacheManager cache = CacheManager.create()) {
      KernelSource source = KernelSource.read(Path.of(arguments[0]));
      System.out.println(cache.getOrCompile(source, TargetId.parse(arguments[1])).digest());
    }
  }
}
