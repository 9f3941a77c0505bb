// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.Map;

/** Asks for a kernel, counts that, and verifies the cache; prints how each went. */
final class OversizedMain {
  private OversizedMain() {}

  public static void main(String[] arguments) {
    Path directory = Path.of(arguments[0]);
    try (CacheManager cache = manager(directory)) {
      if (arguments[1].equals("verify")) {
        System.out.println(verify(cache, false));
        System.out.println(verify(cache, true));
      }
      System.out.println(result(cache));
    }
    try (CacheManager cache = manager(directory)) {
      System.out.println(result(cache) + " " + verify(cache, false));
    }
  }

  private static String result(CacheManager cache) {
    TargetId target = TargetId.parse("gfx90a");
    return cache.resolveAsync(LayerReaderMain.SOURCE, target).join().origin()
        + " of "
        + (cache.maintenance().usage().total().misses()
            + cache.maintenance().usage().total().diskHits());
  }

  private static String verify(CacheManager cache, boolean repair) {
    MaintenanceListener nobody = (root, done, total) -> {};
    Verification verification =
        repair ? cache.maintenance().repair(nobody) : cache.maintenance().verify(nobody);
    return verification.findings().stream().map(Finding::kind).toList().toString();
  }

  static CacheManager manager(Path directory) {
    return CacheManager.builder()
        .environment(Map.of("KCACHE_DIR", directory.toString()))
        .toolchain(new FakeToolchain())
        .build();
  }
}
