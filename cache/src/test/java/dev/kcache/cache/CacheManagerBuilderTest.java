// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CacheManagerBuilderTest {
  private static final long MIB = 1 << 20;

  @Test
  void memoryLimit_unset_leavesMostOfTheHeapToTheProgram() {
    assertThat(CacheManagerBuilder.defaultMemoryLimit(64 * MIB)).isEqualTo(16 * MIB);
    assertThat(CacheManagerBuilder.defaultMemoryLimit(1024 * MIB)).isEqualTo(256 * MIB);
    assertThat(CacheManagerBuilder.defaultMemoryLimit(Long.MAX_VALUE)).isEqualTo(256 * MIB);
    assertThat(new CacheManagerBuilder().memoryLimit)
        .isEqualTo(CacheManagerBuilder.defaultMemoryLimit(Runtime.getRuntime().maxMemory()));
  }
}
