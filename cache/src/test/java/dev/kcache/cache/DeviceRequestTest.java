// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the cache gives to those who have an open device. */
class DeviceRequestTest extends CacheTestBase {
  private static final TargetId DEVICE = TargetId.parse("gfx90a:sramecc+:xnack-");

  @Test
  void device_isServedWhatPrewarmMadeForItsExactTargetOrElseForAnyFeatures() {
    try (CacheManager cache = manager()) {
      CodeObject prewarmed = cache.getOrCompile(SOURCE, GFX90A);
      assertThat(cache.deviceRequests().resolve(SOURCE, DEVICE).codeObject()).isEqualTo(prewarmed);
      assertThat(cache.deviceRequests().resolveAsync(SOURCE, DEVICE).join().origin())
          .isEqualTo(Origin.MEMORY);
      CodeObject own = cache.getOrCompile(SOURCE, DEVICE);
      assertThat(cache.deviceRequests().resolve(SOURCE, DEVICE).codeObject()).isEqualTo(own);
    }
    assertThat(toolchain.jobs).hasSize(2);
  }

  @Test
  void miss_isCompiledForAnyFeatures() {
    try (CacheManager cache = manager()) {
      CacheResult result = cache.deviceRequests().resolve(SOURCE, DEVICE);
      assertThat(result.origin()).isEqualTo(Origin.COMPILED);
      assertThat(result.codeObject().target()).isEqualTo(GFX90A);
    }
  }

  @Test
  void setTarget_thatRunsOnTheDevice_isUsed() {
    TargetId device = TargetId.parse("gfx1100");
    try (CacheManager cache = manager("ARCH", "gfx11-generic")) {
      assertThat(cache.deviceRequests().resolve(SOURCE, device).codeObject().target())
          .isEqualTo(TargetId.parse("gfx11-generic"));
    }
  }

  @Test
  void setTarget_thatDoesNotRunOnTheDevice_isRefusedWithBothNames() {
    try (CacheManager cache = manager("ARCH", "gfx1030")) {
      assertThatThrownBy(() -> cache.deviceRequests().resolve(SOURCE, DEVICE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("gfx1030", DEVICE.toString());
    }
    assertThat(toolchain.jobs).isEmpty();
  }

  @Test
  void cpuInArch_isNoTarget() {
    try (CacheManager cache = manager("ARCH", "x86_64")) {
      assertThat(cache.deviceRequests().resolve(SOURCE, DEVICE).codeObject().target())
          .isEqualTo(GFX90A);
    }
  }

  @Test
  void refusedCodeObject_isCompiledAnewForThisManagerAndStaysForOthers() {
    fill(SOURCE);
    CodeObject refused = FakeToolchain.fixture(GFX90A);
    try (CacheManager cache = manager();
        CacheManager other = manager()) {
      assertThat(cache.deviceRequests().resolve(SOURCE, DEVICE).origin()).isEqualTo(Origin.DISK);
      cache.deviceRequests().bypass(SOURCE, refused);
      assertThat(cache.getIfPresent(source("k"), GFX90A)).isEmpty();
      CacheResult anew = cache.deviceRequests().resolve(SOURCE, DEVICE);
      assertThat(anew.origin()).isEqualTo(Origin.COMPILED);
      assertThat(anew.kept()).isFalse();
      assertThat(cache.deviceRequests().resolve(SOURCE, DEVICE).origin()).isEqualTo(Origin.MEMORY);
      assertThat(other.deviceRequests().resolve(SOURCE, DEVICE).origin()).isEqualTo(Origin.DISK);
    }
    assertThat(toolchain.jobs).hasSize(2);
    for (String policy : List.of("prefer-cache", "sealed")) {
      try (CacheManager cache = manager("KCACHE_POLICY", policy)) {
        assertThat(cache.deviceRequests().resolve(SOURCE, DEVICE).origin()).isEqualTo(Origin.DISK);
        cache.deviceRequests().bypass(SOURCE, refused);
        assertThat(cache.getIfPresent(SOURCE, GFX90A)).as(policy).isEmpty();
      }
    }
  }
}
