// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.KernelSource;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KernelCatalogTest {
  private final KernelCatalog catalog = KernelCatalog.load();

  @Test
  void kernels_areEveryOperationOfEveryTypeInBothLayouts() {
    assertThat(catalog.kernels()).hasSize(6 * 8 * 2).doesNotHaveDuplicates();
    assertThat(catalog.kernels().get(0).name()).isEqualTo("binary_add_f32");
    assertThat(catalog.kernels().get(95).name()).isEqualTo("binary_maximum_i64_strided");
  }

  @Test
  void sources_areTheShippedFilesInAFixedOrder() throws IOException {
    List<String> names = catalog.sources().stream().map(KernelSource::name).toList();
    assertThat(names).containsExactlyInAnyOrderElementsOf(ShippedFiles.units());
    assertThat(names).startsWith("binary_f32.hip", "binary_f64.hip").endsWith("binary_i64.hip");
  }

  @Test
  void sources_readOnceMore_areTheSame() {
    List<KernelSource> again = KernelCatalog.load().sources();
    assertThat(again)
        .extracting(KernelSource::digest)
        .doesNotHaveDuplicates()
        .isEqualTo(catalog.sources().stream().map(KernelSource::digest).toList());
  }

  @Test
  void sources_haveKernels() {
    assertThat(catalog.sources()).allMatch(KernelSource::hasKernel);
  }

  @Test
  void sourceOf_kernel_isTheUnitOfItsType() {
    assertThat(catalog.sourceOf("binary_div_bf16_strided").map(KernelSource::name))
        .contains("binary_bf16.hip");
    assertThat(catalog.kernels())
        .allSatisfy(kernel -> assertThat(catalog.sourceOf(kernel.name())).isPresent());
  }

  @Test
  void sourceOf_unknownKernel_isEmpty() {
    assertThat(catalog.sourceOf("binary_pow_f32")).isEmpty();
  }
}
