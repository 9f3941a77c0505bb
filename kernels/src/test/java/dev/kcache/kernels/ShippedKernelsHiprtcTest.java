// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A shipped source of each family through hiprtc: they compile, to the kernels that are promised.
 */
final class ShippedKernelsHiprtcTest {
  private static final TargetId TARGET = TargetId.parse("gfx90a");

  @TempDir Path directory;

  @Test
  void units_holdExactlyTheKernelsOfTheCatalogueAndDeviceMathThose() {
    Map<String, String> environment =
        Map.of("KCACHE_DIR", directory.toString(), "KCACHE_TOOLCHAIN", "hiprtc");
    Map<KernelUnit, CompletableFuture<CodeObject>> units = new LinkedHashMap<>();
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      for (KernelUnit unit : ShippedFiles.units(false)) {
        units.put(unit, cache.getOrCompileAsync(unit.source(), TARGET));
      }
      CompletableFuture<CodeObject> math =
          cache.getOrCompileAsync(ShippedFiles.deviceMath(), TARGET);
      units.forEach((unit, code) -> ShippedFiles.checkKernels(code.join(), unit));
      ShippedFiles.checkDeviceMath(math.join());
    }
  }
}
