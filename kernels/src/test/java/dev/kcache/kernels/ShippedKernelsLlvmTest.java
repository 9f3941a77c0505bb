// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The shipped sources through the embedded LLVM: they compile, to the kernels that are promised.
 *
 * <p>{@code kcache.tests.targets} names the targets: a list, or {@code all} that the compiler
 * knows.
 */
final class ShippedKernelsLlvmTest {
  @TempDir static Path directory;

  private static CacheManager cache;

  @BeforeAll
  static void openACacheWithTheEmbeddedCompiler() {
    Map<String, String> environment = new HashMap<>();
    environment.put("KCACHE_DIR", directory.toString());
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    cache = CacheManager.builder().environment(environment).build();
  }

  @AfterAll
  static void close() {
    cache.close();
  }

  @ParameterizedTest
  @EnumSource
  void unit_holdsExactlyTheKernelsOfTheCatalogue(ElementType type) {
    KernelSource source = ShippedFiles.source(type);

    for (TargetId target : targets()) {
      CodeObject code = cache.getOrCompile(source, target);

      assertThat(code.target()).isEqualTo(target);
      ShippedFiles.checkKernels(code, type);
    }
  }

  private static List<TargetId> targets() {
    return ShippedFiles.targets(
        "gfx942,compute_90",
        () ->
            Arrays.stream(Platform.values())
                .flatMap(platform -> cache.toolchain(platform).processors().stream()));
  }
}
