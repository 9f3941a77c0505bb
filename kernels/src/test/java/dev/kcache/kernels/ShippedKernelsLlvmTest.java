// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
    // There is no ROCm's library of device functions.
    environment.put("HIP_DEVICE_LIB_PATH", directory.toString());
    cache = CacheManager.builder().environment(environment).build();
  }

  @AfterAll
  static void close() {
    cache.close();
  }

  @ParameterizedTest
  @MethodSource
  void unit_holdsExactlyTheKernelsOfTheCatalogue(KernelUnit unit) {
    for (TargetId target : targets()) {
      CodeObject code = cache.getOrCompile(unit.source(), target);

      assertThat(code.target()).isEqualTo(target);
      ShippedFiles.checkKernels(code, unit);
    }
  }

  /** The first unit of each family; with the property, all of them. */
  static List<KernelUnit> unit_holdsExactlyTheKernelsOfTheCatalogue() {
    return ShippedFiles.units(System.getProperty("kcache.tests.targets") != null);
  }

  @Test
  void deviceMath_compilesWithoutScratchAndLeavesNothingToFuse() {
    KernelSource source = ShippedFiles.deviceMath();
    CompileOptions unfused =
        CompileOptions.of(
            Stream.concat(source.options().arguments().stream(), Stream.of("-ffp-contract=off"))
                .toList());
    for (TargetId target : targets()) {
      CodeObject code = cache.getOrCompile(source, target);

      ShippedFiles.checkDeviceMath(code);
      if (target.processor().platform() == Platform.AMD) {
        CodeObject plainly = cache.getOrCompile(source.withOptions(unfused), target);
        assertThat(ShippedFiles.machineCode(plainly))
            .as("without fusing, for %s", target)
            .isEqualTo(ShippedFiles.machineCode(code));
      }
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
