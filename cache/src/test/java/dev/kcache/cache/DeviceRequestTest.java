// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the cache gives to those who have an open device. */
class DeviceRequestTest {
  private static final TargetId DEVICE = TargetId.parse("gfx90a:sramecc+:xnack-");
  private static final TargetId ANY = TargetId.parse("gfx90a");
  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");

  @TempDir Path temp;
  private final FakeToolchain toolchain = new FakeToolchain();

  private CacheManager manager(String... pairs) {
    Map<String, String> environment =
        new HashMap<>(Map.of("KCACHE_DIR", temp.resolve("cache").toString()));
    for (int i = 0; i < pairs.length; i += 2) {
      environment.put(pairs[i], pairs[i + 1]);
    }
    return CacheManager.builder().environment(environment).toolchain(toolchain).build();
  }

  @Test
  void device_isServedWithAnyFeaturesWhatPrewarmMade() {
    try (CacheManager cache = manager()) {
      CodeObject prewarmed = cache.getOrCompile(SOURCE, ANY);
      assertThat(cache.resolveFor(SOURCE, DEVICE).codeObject()).isEqualTo(prewarmed);
      assertThat(cache.resolveForAsync(SOURCE, DEVICE).join().origin()).isEqualTo(Origin.MEMORY);
    }
    assertThat(toolchain.jobs).hasSize(1);
  }

  @Test
  void device_isServedItsExactTargetBeforeAnyFeatures() {
    TargetId exact = DEVICE;
    try (CacheManager cache = manager()) {
      cache.getOrCompile(SOURCE, exact.withAnyFeatures());
      CodeObject own = cache.getOrCompile(SOURCE, exact);
      assertThat(cache.resolveFor(SOURCE, exact).codeObject()).isEqualTo(own);
    }
  }

  @Test
  void miss_isCompiledForAnyFeatures() {
    try (CacheManager cache = manager()) {
      CacheResult result = cache.resolveFor(SOURCE, DEVICE);
      assertThat(result.origin()).isEqualTo(Origin.COMPILED);
      assertThat(result.codeObject().target()).isEqualTo(ANY);
    }
  }

  @Test
  void setTarget_thatRunsOnTheDevice_isUsed() {
    TargetId device = TargetId.parse("gfx1100");
    try (CacheManager cache = manager("ARCH", "gfx11-generic")) {
      assertThat(cache.resolveFor(SOURCE, device).codeObject().target())
          .isEqualTo(TargetId.parse("gfx11-generic"));
    }
  }

  @Test
  void setTarget_thatDoesNotRunOnTheDevice_isRefusedWithBothNames() {
    try (CacheManager cache = manager("ARCH", "gfx1030")) {
      assertThatThrownBy(() -> cache.resolveFor(SOURCE, DEVICE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("gfx1030", DEVICE.toString());
    }
    assertThat(toolchain.jobs).isEmpty();
  }

  @Test
  void cpuInArch_isNoTarget() {
    try (CacheManager cache = manager("ARCH", "x86_64")) {
      assertThat(cache.resolveFor(SOURCE, DEVICE).codeObject().target()).isEqualTo(ANY);
    }
  }

  @Test
  void refusedCodeObject_isCompiledAnewForThisManagerAndStaysForOthers() {
    CodeObject refused;
    try (CacheManager first = manager()) {
      refused = first.getOrCompile(SOURCE, ANY);
    }
    try (CacheManager cache = manager();
        CacheManager other = manager()) {
      assertThat(cache.resolveFor(SOURCE, DEVICE).origin()).isEqualTo(Origin.DISK);
      cache.bypass(SOURCE, refused);
      CacheResult anew = cache.resolveFor(SOURCE, DEVICE);
      assertThat(anew.origin()).isEqualTo(Origin.COMPILED);
      assertThat(anew.kept()).isFalse();
      assertThat(cache.resolveFor(SOURCE, DEVICE).origin()).isEqualTo(Origin.MEMORY);
      assertThat(other.resolveFor(SOURCE, DEVICE).origin()).isEqualTo(Origin.DISK);
    }
    assertThat(toolchain.jobs).hasSize(2);
  }

  @Test
  void refusedCodeObject_isNotServedUnderPreferCacheEither() {
    try (CacheManager cache = manager("KCACHE_POLICY", "prefer-cache")) {
      CodeObject refused = cache.resolveFor(SOURCE, DEVICE).codeObject();
      cache.bypass(SOURCE, refused);
      assertThat(cache.resolveFor(SOURCE, DEVICE).origin()).isEqualTo(Origin.COMPILED);
    }
  }

  @Test
  void refusedCodeObject_ofASealedCache_isAMiss() {
    CodeObject refused;
    try (CacheManager first = manager()) {
      refused = first.getOrCompile(SOURCE, ANY);
    }
    try (CacheManager cache = manager("KCACHE_POLICY", "sealed")) {
      cache.bypass(SOURCE, refused);
      assertThatThrownBy(() -> cache.resolveFor(SOURCE, DEVICE))
          .isInstanceOf(CacheMissException.class);
    }
  }
}
