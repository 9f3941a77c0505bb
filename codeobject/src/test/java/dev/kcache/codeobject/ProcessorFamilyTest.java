// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ProcessorFamilyTest {

  /** TheRock's table, read the other way round, and the older releases' names at the end. */
  @ParameterizedTest
  @CsvSource({
    "dgpu-all, gfx900 gfx906 gfx1010 gfx1011 gfx1012 gfx1030 gfx1031 gfx1032 gfx1034 gfx1100"
        + " gfx1101 gfx1102 gfx1200 gfx1201",
    "gfx900-dgpu, gfx900",
    "igpu-all, gfx90c gfx1033 gfx1035 gfx1036 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1170",
    "gfx90c-igpu, gfx90c",
    "gfx906-dgpu, gfx906",
    "dcgpu-all, gfx908 gfx90a gfx942 gfx950 gfx1250",
    "gfx908-dcgpu, gfx908",
    "gfx90a-dcgpu, gfx90a",
    "gfx94X-all, gfx942",
    "gfx94X-dcgpu, gfx942",
    "gfx950-all, gfx950",
    "gfx950-dcgpu, gfx950",
    "gfx101X-all, gfx1010 gfx1011 gfx1012",
    "gfx101X-dgpu, gfx1010 gfx1011 gfx1012",
    "gfx103X-all, gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036",
    "gfx103X-dgpu, gfx1030 gfx1031 gfx1032 gfx1034",
    "gfx103X-igpu, gfx1033 gfx1035 gfx1036",
    "gfx110X-all, gfx1100 gfx1101 gfx1102 gfx1103",
    "gfx110X-dgpu, gfx1100 gfx1101 gfx1102",
    "gfx110X-igpu, gfx1103",
    "gfx115X-all, gfx1150 gfx1151 gfx1152 gfx1153",
    "gfx115X-igpu, gfx1150 gfx1151 gfx1152 gfx1153",
    "gfx117X-all, gfx1170",
    "gfx117X-igpu, gfx1170",
    "gfx120X-all, gfx1200 gfx1201",
    "gfx125X-all, gfx1250",
    "gfx125X-dcgpu, gfx1250",
    "gfx90X-all, gfx906 gfx908 gfx90a",
    "gfx90X-dgpu, gfx906",
    "gfx90X-dcgpu, gfx908 gfx90a",
  })
  void parseAll_ofAFamily_givesItsMembers(String family, String members) {
    assertThat(TargetId.parseAll(family))
        .map(TargetId::toString)
        .containsExactly(members.split(" ", -1));
    assertThat(ProcessorFamily.named(family))
        .get()
        .extracting(ProcessorFamily::name)
        .isEqualTo(family);
  }

  @Test
  void all_isWhatTheTestAboveNames() {
    assertThat(ProcessorFamily.all()).hasSize(30);
  }

  @ParameterizedTest
  @CsvSource({
    "MI300X, gfx942",
    "mi300x, gfx942",
    "AMD Instinct MI300A, gfx942",
    "MI250, gfx90a",
    "RX 7900 XTX, gfx1100",
    "AMD Radeon RX 7900 XTX, gfx1100",
    "rx-6800-xt, gfx1030",
    "Radeon VII, gfx906",
    "AMD Radeon 780M Graphics, gfx1103",
    "Strix Halo, gfx1151",
  })
  void parseAll_ofAProduct_givesItsProcessor(String product, String processor) {
    assertThat(TargetId.parseAll(product)).containsExactly(TargetId.parse(processor));
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90a:xnack+, gfx90a:xnack+",
    "gfx90X-dcgpu:xnack-, gfx908:xnack- gfx90a:xnack-",
    "GFX94x-DCGPU, gfx942",
    "MI300X:xnack+:sramecc-, gfx942:sramecc-:xnack+",
    "gfx9-4-generic, gfx9-4-generic",
  })
  void parseAll_takesFeaturesAndAnyCase(String text, String targets) {
    assertThat(TargetId.parseAll(text))
        .map(TargetId::toString)
        .containsExactly(targets.split(" ", -1));
  }

  @Test
  void parseAll_ofAFamilyWithAFeatureThatAMemberLacks_namesTheMember() {
    assertThatThrownBy(() -> TargetId.parseAll("gfx110X-all:xnack+"))
        .hasMessage(
            "'gfx110X-all:xnack+': target ID 'gfx1100:xnack+': gfx1100 has no feature 'xnack';"
                + " its target ID takes no features");
    assertThatThrownBy(() -> TargetId.parseAll("MI300X:"))
        .hasMessageStartingWith("'MI300X:': target ID 'gfx942:': feature '' must end in + (on)");
  }

  /** A processor's own name is taken as it is, and needs no explanation. */
  @Test
  void parseAll_ofAProcessorWithAnIllFeature_saysWhatParseSays() {
    assertThatThrownBy(() -> TargetId.parseAll("gfx1030:xnack+"))
        .hasMessageStartingWith("target ID 'gfx1030:xnack+': gfx1030 has no feature");
  }

  @Test
  void parseAll_ofSomethingElse_saysWhatThereIs() {
    assertThatThrownBy(() -> TargetId.parseAll("gfx94X"))
        .hasMessage("unknown processor 'gfx94X'; did you mean gfx94X-all or gfx94X-dcgpu?");
    assertThatThrownBy(() -> TargetId.parseAll("MI300"))
        .hasMessage("unknown processor 'MI300'; did you mean MI300A or MI300X?");
    assertThatThrownBy(() -> TargetId.parseAll("gfx9999:xnack+"))
        .hasMessageStartingWith("unknown processor 'gfx9999'; 'kcache targets' lists ");
    assertThatThrownBy(() -> TargetId.parseAll("gpu-generic")).hasMessageContaining("SPIR-V");
    assertThatThrownBy(() -> TargetId.parseAll("AMDGCNSPIRV")).hasMessageContaining("SPIR-V");
    assertThatThrownBy(() -> TargetId.parseAll("")).hasMessageStartingWith("empty target ID");
    assertThatThrownBy(() -> TargetId.parseAll("")).hasMessageEndingWith(":sramecc+:xnack-");
  }

  /** Nearly a product is none: what is not asked for is not guessed. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "amd",
        "AMD Radeon Graphics",
        "../MI300X",
        "MI300X!",
        "MI300",
        "RX 7900",
        "-",
        ":"
      })
  void parseAll_ofWhatResemblesAProduct_isRefused(String text) {
    assertThatThrownBy(() -> TargetId.parseAll(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("unknown processor '");
  }

  @Test
  void of_aProcessor_namesItsFamilies() {
    assertThat(ProcessorFamily.of(Processor.GFX942))
        .extracting(ProcessorFamily::name)
        .containsExactly("dcgpu-all", "gfx94X-all", "gfx94X-dcgpu");
    assertThat(ProcessorFamily.of(Processor.GFX9_GENERIC)).isEmpty();
  }

  @Test
  void all_productsAndFamilies_nameOneThingEach() {
    assertThat(ProcessorFamily.all())
        .extracting(family -> family.name().toLowerCase(Locale.ROOT))
        .doesNotHaveDuplicates();
    assertThat(Processor.values())
        .allSatisfy(
            processor ->
                assertThat(ProcessorFamily.products(processor))
                    .allSatisfy(
                        product ->
                            assertThat(ProcessorFamily.processorOf(product)).contains(processor)));
  }

  @Test
  void products_areShownAsTheyAreSold() {
    assertThat(ProcessorFamily.products(Processor.GFX942)).isEqualTo(List.of("MI300A", "MI300X"));
    assertThat(ProcessorFamily.products(Processor.GFX600)).isEmpty();
    assertThat(
            Arrays.stream(Processor.values()).filter(p -> !ProcessorFamily.products(p).isEmpty()))
        .hasSize(28);
  }
}
