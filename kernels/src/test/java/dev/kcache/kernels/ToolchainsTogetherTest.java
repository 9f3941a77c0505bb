// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several compilers over one directory. */
class ToolchainsTogetherTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final List<String> NAMES = List.of("hipcc", "hiprtc", "llvm");

  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k(float* p) { *p = 1; }\n");

  @TempDir Path directory;

  @Test
  void eachToolchain_isServedItsOwnEntry() {
    Map<String, Digest> made = new HashMap<>();
    for (String name : NAMES) {
      CacheResult result = resolve(name);
      assertThat(result.origin()).as(name).isEqualTo(Origin.COMPILED);
      made.put(name, result.codeObject().digest());
    }
    for (String name : NAMES) {
      CacheResult result = resolve(name);
      assertThat(result.origin()).as(name).isEqualTo(Origin.DISK);
      assertThat(result.codeObject().digest()).as(name).isEqualTo(made.get(name));
    }
    try (CacheManager cache = manager("llvm")) {
      assertThat(cache.maintenance().entries()).hasSize(NAMES.size());
      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::label)
          .doesNotHaveDuplicates();
      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::toolchain)
          .doesNotHaveDuplicates();
    }
  }

  private CacheResult resolve(String name) {
    try (CacheManager cache = manager(name)) {
      return cache.resolveAsync(SOURCE, GFX90A).join();
    }
  }

  private CacheManager manager(String name) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", directory.toString());
    environment.put("KCACHE_TOOLCHAIN", name);
    return CacheManager.builder().environment(environment).build();
  }
}
