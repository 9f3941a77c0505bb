// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Files;
import java.nio.file.Path;

/** Asks the cache of its environment for a kernel on a full disk, and again when it has room. */
final class FullCacheMain {
  private FullCacheMain() {}

  /**
   * Takes a source, a target and the file that fills the disk; prints what came of each request.
   */
  public static void main(String[] arguments) throws Exception {
    KernelSource source = KernelSource.read(Path.of(arguments[0]));
    TargetId target = TargetId.parse(arguments[1]);
    try (CacheManager cache = CacheManager.builder().memoryLimit(0).build()) {
      for (int request = 0; request < 3; request++) {
        var result = cache.resolveAsync(source, target).join();
        System.out.println(
            "%s %s".formatted(result.codeObject().digest(), result.origin())
                + ", not kept: "
                + cache.statistics().notKept());
        Files.deleteIfExists(Path.of(arguments[2]));
      }
    }
  }
}
