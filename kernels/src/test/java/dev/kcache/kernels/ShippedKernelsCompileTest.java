// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The shipped sources through the real hipcc: they compile, to the kernels that are promised. */
final class ShippedKernelsCompileTest {
  @TempDir private Path scratch;

  @ParameterizedTest
  @EnumSource
  void unit_holdsExactlyTheKernelsOfTheCatalogue(ElementType type) throws Exception {
    Path image = scratch.resolve("unit.co");
    String unit = ShippedFiles.find("binary_" + type + ".hip").toString();
    ShippedFiles.run(
        List.of(
            "hipcc",
            "--genco",
            "--offload-arch=gfx90a",
            "--no-gpu-bundle-output",
            "-O3",
            "-std=c++17",
            "-Wall",
            "-Wextra",
            unit,
            "-o",
            image.toString()),
        scratch.resolve("log"));

    Set<String> promised = new TreeSet<>();
    for (BinaryKernel kernel : KernelCatalog.load().kernels()) {
      if (kernel.type() == type) {
        promised.add(kernel.name());
      }
    }
    assertThat(ElfSymbols.kernels(Files.readAllBytes(image))).isEqualTo(promised);
  }
}
