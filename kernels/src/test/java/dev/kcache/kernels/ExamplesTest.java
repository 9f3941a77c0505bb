// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernels of {@code examples/}, the same one in each language, with this machine's compilers.
 */
class ExamplesTest {
  @TempDir Path directory;

  private CacheManager manager() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    return CacheManager.builder().environment(environment).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1100"})
  void examples_takeTheSameArguments(String target) {
    List<String> names = List.of("vadd.hip", "vadd.ll", "vadd." + target + ".s");
    for (Origin origin : List.of(Origin.COMPILED, Origin.DISK)) {
      try (CacheManager cache = manager()) {
        for (String name : names) {
          KernelSource source = KernelSource.read(LanguageContract.EXAMPLES.resolve(name));

          CacheResult result = cache.resolveAsync(source, TargetId.parse(target)).join();

          assertThat(result.origin()).as(name).isEqualTo(origin);
          assertThat(result.codeObject().kernels()).as(name).hasSize(1);
          KernelMetadata kernel = result.codeObject().kernels().get(0);
          assertThat(kernel.name()).as(name).isEqualTo("vadd");
          assertThat(kernel.maxThreadsPerBlock()).as(name).isEqualTo(256);
          assertThat(kernel.arguments().subList(0, 4))
              .as(name)
              .extracting(KernelMetadata.Argument::offset)
              .containsExactly(0, 8, 16, 24);
        }
      }
    }
  }
}
