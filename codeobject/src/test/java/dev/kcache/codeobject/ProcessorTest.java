// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.TargetId.Feature.SRAMECC;
import static dev.kcache.codeobject.TargetId.Feature.XNACK;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProcessorTest {

  @Test
  void names_areClangsSpelling() {
    assertThat(Platform.AMD.processors().stream().map(Processor::toString))
        .contains("gfx600", "gfx90a", "gfx1013", "gfx9-4-generic", "gfx11-7-generic", "gfx1310")
        .doesNotContain("gfx940", "gfx941", "r600", "gfx000")
        .hasSize(61)
        .doesNotHaveDuplicates();
  }

  @Test
  void names_ofNvidia_areNvccs() {
    assertThat(Platform.NVIDIA.processors().stream().map(Processor::toString))
        .contains("sm_50", "sm_90", "sm_90a", "sm_120f", "compute_75", "compute_90a")
        .doesNotContain("sm_90f", "sm_89a", "sm_49", "gfx90a")
        .hasSize(2 * 34)
        .doesNotHaveDuplicates();
  }

  @Test
  void platform_isWhereTheProcessorIsListed() {
    assertThat(Processor.GFX90A.platform()).isEqualTo(Platform.AMD).hasToString("amd");
    assertThat(Processor.SM_90.platform()).isEqualTo(Platform.NVIDIA).hasToString("nvidia");
    assertThat(Processor.COMPUTE_90.platform()).isEqualTo(Platform.NVIDIA);
    assertThat(Platform.AMD.processors().size() + Platform.NVIDIA.processors().size())
        .isEqualTo(Processor.values().length);
  }

  @Test
  void isVirtual_onlyWhereTheCodeIsPtx() {
    assertThat(Stream.of(Processor.values()).filter(Processor::isVirtual))
        .hasSize(34)
        .allMatch(each -> each.toString().startsWith("compute_"));
  }

  /** Which processors take which feature: tried with clang 21 for each that it knows. */
  @Test
  void features_areThoseThatClangAccepts() {
    assertThat(having(XNACK))
        .isEqualTo(
            names(
                "gfx801 gfx810 gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx942"
                    + " gfx950 gfx1010 gfx1011 gfx1012 gfx1013 gfx9-generic gfx9-4-generic"
                    + " gfx10-1-generic"));
    assertThat(having(SRAMECC))
        .isEqualTo(names("gfx906 gfx908 gfx90a gfx942 gfx950 gfx9-4-generic"));
  }

  @Test
  void members_areThoseOfTheRuntime() {
    TargetCompatibilityTest.MEMBERS.forEach(
        (generic, members) -> {
          Processor processor = Processor.named(generic).orElseThrow();

          assertThat(processor.isGeneric()).isTrue();
          assertThat(processor.members())
              .extracting(Processor::toString)
              .hasSameElementsAs(names(members));
          assertThat(processor.members()).allMatch(p -> p.generic().orElseThrow() == processor);
        });
  }

  @ParameterizedTest
  @EnumSource
  void everyProcessor_isFoundByNameAndMach(Processor processor) {
    assertThat(Processor.named(processor.toString())).contains(processor);
    assertThat(Processor.withMach(processor.mach()))
        .isEqualTo(Optional.of(processor).filter(each -> each.platform() == Platform.AMD));
    assertThat(processor.isGeneric()).isEqualTo(!processor.members().isEmpty());
  }

  private static Set<String> having(TargetId.Feature feature) {
    return Stream.of(Processor.values())
        .filter(p -> p.features().contains(feature))
        .map(Processor::toString)
        .collect(toSet());
  }

  private static Set<String> names(String listing) {
    return Set.copyOf(Arrays.asList(listing.split(" ")));
  }
}
