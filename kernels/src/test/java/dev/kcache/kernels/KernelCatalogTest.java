// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class KernelCatalogTest {
  private final KernelCatalog catalog = KernelCatalog.load();

  @Test
  void kernels_haveOneUnitEach() {
    List<String> all = catalog.units().stream().flatMap(unit -> unit.kernels().stream()).toList();
    assertThat(all).doesNotHaveDuplicates().startsWith("binary_add_f32", "binary_add_f32_strided");
    assertThat(catalog.units())
        .allSatisfy(
            unit ->
                assertThat(unit.kernels())
                    .isNotEmpty()
                    .allSatisfy(kernel -> assertThat(catalog.unitOf(kernel)).contains(unit)));
  }

  @Test
  void families_areTheShippedFiles() throws IOException {
    assertThat(catalog.units().stream().map(unit -> unit.family().file()).distinct())
        .containsExactlyInAnyOrderElementsOf(ShippedFiles.units());
  }

  @Test
  void units_areInTheOrderOfFamiliesAndTypes() {
    assertThat(catalog.units().stream().map(KernelUnit::name))
        .startsWith("binary_f32", "binary_f64", "binary_f16")
        .doesNotHaveDuplicates();
  }

  @Test
  void units_areAsManyAsDocumented() {
    assertThat(Path.of("../docs/kernels.md"))
        .content()
        .contains(" of %d units ".formatted(catalog.units().size()));
  }

  @Test
  void units_ofQuantizedWeights_haveOneTypeAndFormatEach() {
    assertThat(catalog.unitOf("quantized_matvec_f16_q4_k"))
        .get()
        .extracting(KernelUnit::name, KernelUnit::operations, KernelUnit::kernels)
        .containsExactly(
            "quantized_f16_q4_k",
            List.of("dequantize", "matvec"),
            List.of("quantized_dequantize_f16_q4_k", "quantized_matvec_f16_q4_k"));
  }

  @Test
  void load_oneFamily_hasNoOther() {
    KernelCatalog where = KernelCatalog.load(Set.of(Family.WHERE));
    assertThat(where.units()).hasSize(8).allMatch(unit -> unit.family() == Family.WHERE);
    assertThat(where.unitOf("binary_add_f32")).isEmpty();
  }

  @Test
  void sources_readOnceMore_areTheSame() {
    assertThat(KernelCatalog.load().units().stream().map(unit -> unit.source().digest()))
        .doesNotHaveDuplicates()
        .containsExactlyElementsOf(
            catalog.units().stream().map(unit -> unit.source().digest()).toList());
  }

  @Test
  void sources_carryTheNamesOfTheirUnits() {
    assertThat(catalog.units())
        .allSatisfy(unit -> assertThat(unit.source().name()).isEqualTo(unit.name() + ".hip"));
  }

  /** HIP's header is precompiled once for all sources with the same options. */
  @Test
  void sources_haveTheDefaultOptions() {
    assertThat(catalog.units())
        .allMatch(unit -> unit.source().options().equals(CompileOptions.DEFAULT));
  }

  @Test
  void sources_haveKernels() {
    assertThat(catalog.units()).extracting(KernelUnit::source).allMatch(KernelSource::hasKernel);
  }

  @Test
  void sourceOf_kernel_isThatOfItsUnit() {
    assertThat(catalog.sourceOf("binary_div_bf16_strided"))
        .isEqualTo(catalog.unitOf("binary_add_bf16").map(KernelUnit::source));
  }

  @Test
  void sourceOf_unknownKernel_isEmpty() {
    assertThat(catalog.sourceOf("binary_pow_f32")).isEmpty();
  }
}
