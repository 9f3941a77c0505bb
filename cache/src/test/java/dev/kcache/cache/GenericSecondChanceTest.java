// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Code for a generic processor, where nothing else is to be had for one of its members. */
class GenericSecondChanceTest extends CacheTestBase {
  private static final TargetId GFX1100 = TargetId.parse("gfx1100");
  private static final TargetId GFX942 = TargetId.parse("gfx942:sramecc+:xnack-");

  @BeforeEach
  void forgetNotices() {
    Notices.clear();
  }

  /** What prewarm makes on another machine. */
  private void prewarm(String... targets) {
    try (CacheManager cache = manager()) {
      for (String target : targets) {
        cache.getOrCompile(SOURCE, TargetId.parse(target));
      }
    }
    toolchain.jobs.clear();
  }

  private static String target(CacheResult result) {
    return result.codeObject().target().toString();
  }

  @ParameterizedTest
  @CsvSource({
    "gfx1100,                   gfx11-generic",
    "gfx1030,                   gfx10-3-generic",
    "gfx942:sramecc+:xnack-,    gfx9-4-generic",
    "gfx906:sramecc-:xnack+,    gfx9-generic",
  })
  void device_withoutCompiler_isServedItsGenericTarget(String device, String generic) {
    prewarm(generic);
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      CacheResult first = cache.deviceRequests().resolve(SOURCE, TargetId.parse(device));
      assertThat(target(first)).isEqualTo(generic);
      assertThat(first.origin()).isEqualTo(Origin.DISK);
      assertThat(first.label()).hasToString("5.2");

      CacheResult second = cache.deviceRequests().resolve(SOURCE, TargetId.parse(device));
      assertThat(target(second)).isEqualTo(generic);
      assertThat(second.origin()).isEqualTo(Origin.MEMORY);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5.2"})
  void async_isServedToo(String version) {
    prewarm("gfx11-generic");
    toolchain.isAbsent = true;
    try (CacheManager cache = manager("ARCH", "gfx1100", "ROCM_VERSION", version)) {
      assertThat(target(cache.deviceRequests().resolveAsync(SOURCE, GFX1100).join()))
          .isEqualTo("gfx11-generic");
      assertThat(cache.getOrCompileAsync(SOURCE).join().target()).hasToString("gfx11-generic");
      assertThat(cache.deviceRequests().resolveAsync(SOURCE, GFX1100).join().origin())
          .isEqualTo(Origin.MEMORY);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "prefer-cache", "sealed"})
  void setTarget_isServed(String policy) {
    prewarm("gfx11-generic");
    toolchain.isAbsent = true;
    for (String version : List.of("", "5.2")) {
      try (CacheManager cache =
          manager("ARCH", "gfx1100", "KCACHE_POLICY", policy, "ROCM_VERSION", version)) {
        assertThat(cache.getIfPresent(SOURCE).orElseThrow().target()).hasToString("gfx11-generic");
      }
      try (CacheManager cache =
          manager("ARCH", "gfx1100", "KCACHE_POLICY", policy, "ROCM_VERSION", version)) {
        assertThat(cache.getOrCompile(SOURCE).target()).hasToString("gfx11-generic");
      }
    }
  }

  @Test
  void sealed_isServedThoughThereIsACompiler() {
    prewarm("gfx11-generic");
    try (CacheManager cache = manager("KCACHE_POLICY", "sealed", "ARCH", "gfx1100")) {
      assertThat(cache.getIfPresent(SOURCE).orElseThrow().target()).hasToString("gfx11-generic");
      assertThat(target(cache.deviceRequests().resolve(SOURCE, GFX1100)))
          .isEqualTo("gfx11-generic");
    }
    assertThat(toolchain.jobs).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "prefer-cache"})
  void compilerThatKnowsTheTarget_compilesForIt(String policy) {
    prewarm("gfx11-generic");
    try (CacheManager cache = manager("KCACHE_POLICY", policy, "ARCH", "gfx1100")) {
      assertThat(cache.getIfPresent(SOURCE)).isEmpty();
      CacheResult result = cache.deviceRequests().resolve(SOURCE, GFX1100);
      assertThat(target(result)).isEqualTo("gfx1100");
      assertThat(result.origin()).isEqualTo(Origin.COMPILED);
    }
  }

  /** The compiler here knows gfx942, so it is the source's fault that a compile fails. */
  @Test
  void compilerThatLacksTheTarget_isAsGoodAsNone_unlikeAFaultOfTheSource() {
    prewarm("gfx11-generic", "gfx9-4-generic");
    toolchain.broken = true;
    for (String policy : List.of("auto", "prefer-cache")) {
      try (CacheManager cache = manager("KCACHE_POLICY", policy)) {
        assertThat(target(cache.deviceRequests().resolve(SOURCE, GFX1100)))
            .isEqualTo("gfx11-generic");
        assertThatThrownBy(() -> cache.deviceRequests().resolve(SOURCE, GFX942))
            .isInstanceOf(CompilationException.class)
            .hasMessageContaining("broken on purpose");
      }
    }
  }

  @Test
  void ownEntryOfAnyLabel_isPreferred() {
    prewarm("gfx11-generic");
    toolchain.version = "4.3";
    prewarm("gfx1100");
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      assertThat(target(cache.deviceRequests().resolve(SOURCE, GFX1100))).isEqualTo("gfx1100");
    }
  }

  @Test
  void ownEntryOfAnotherMember_isPreferredThoughMemoryHasTheGenericOne() {
    prewarm("gfx11-generic", "gfx1100");
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      assertThat(target(cache.deviceRequests().resolve(SOURCE, TargetId.parse("gfx1101"))))
          .isEqualTo("gfx11-generic");
      assertThat(target(cache.deviceRequests().resolve(SOURCE, GFX1100))).isEqualTo("gfx1100");
    }
  }

  @Test
  void deviceOfNoMember_isNotServed() {
    prewarm("gfx11-generic", "gfx9-generic", "gfx9-4-generic");
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      for (String device : List.of("gfx1030", "gfx90a:sramecc+:xnack-", "gfx908", "sm_90")) {
        assertThatThrownBy(() -> cache.deviceRequests().resolve(SOURCE, TargetId.parse(device)))
            .as(device)
            .isInstanceOf(ToolchainNotFoundException.class);
      }
    }
  }

  @Test
  void otherVersionThanTheOneThatIsSet_isNotServed() {
    prewarm("gfx11-generic");
    toolchain.isAbsent = true;
    try (CacheManager cache = manager("ROCM_VERSION", "5.3")) {
      assertThatThrownBy(() -> cache.deviceRequests().resolve(SOURCE, GFX1100))
          .isInstanceOf(ToolchainNotFoundException.class);
    }
  }

  /** Who names a target means it: prewarm would else take a generic entry for its work. */
  @Test
  void requestForExactlyATarget_isNotServed() {
    prewarm("gfx11-generic");
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      assertThat(target(cache.deviceRequests().resolve(SOURCE, GFX1100)))
          .isEqualTo("gfx11-generic");
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX1100))
          .isInstanceOf(ToolchainNotFoundException.class);
      assertThatThrownBy(() -> cache.getIfPresent(SOURCE, GFX1100))
          .isInstanceOf(ToolchainNotFoundException.class);
    }
    try (CacheManager cache = manager("ROCM_VERSION", "5.2")) {
      assertThat(cache.getIfPresent(SOURCE, GFX1100)).isEqualTo(Optional.empty());
    }
  }

  @Test
  void genericEntryInMemory_doesNotServeWhereTheTargetCanBeCompiled() {
    try (CacheManager cache = manager()) {
      cache.getOrCompile(SOURCE, TargetId.parse("gfx11-generic"));
      assertThat(target(cache.deviceRequests().resolve(SOURCE, GFX1100))).isEqualTo("gfx1100");
    }
  }

  @Test
  void refusedByTheDriver_isNotServedAgain() {
    prewarm("gfx11-generic");
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      CacheResult served = cache.deviceRequests().resolve(SOURCE, GFX1100);
      cache.deviceRequests().bypass(SOURCE, served.codeObject());
      assertThatThrownBy(() -> cache.deviceRequests().resolve(SOURCE, GFX1100))
          .isInstanceOf(ToolchainNotFoundException.class);
    }
  }

  @Test
  void secondChance_isToldOncePerProcessAndTarget() {
    try (CacheManager cache = manager()) {
      for (KernelSource source : List.of(SOURCE, OTHER)) {
        cache.getOrCompile(source, TargetId.parse("gfx11-generic"));
      }
    }
    toolchain.isAbsent = true;
    try (Warnings warnings = Warnings.of(RequestResolver.class);
        CacheManager cache = manager();
        CacheManager other = manager()) {
      for (CacheManager each : List.of(cache, other)) {
        each.deviceRequests().resolve(SOURCE, GFX1100);
        each.deviceRequests().resolve(SOURCE, GFX1100);
        each.deviceRequests().resolve(OTHER, GFX1100);
      }
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .contains("gfx1100", "gfx11-generic", "prewarm --arch gfx1100");
      cache.deviceRequests().resolve(SOURCE, TargetId.parse("gfx1101"));
      assertThat(warnings.lines()).hasSize(2);
    }
  }
}
