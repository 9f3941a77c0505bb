// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a source that is used again is answered with, and what that costs. */
class MemoryHitTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final TargetId GFX942 = TargetId.parse("gfx942");

  @TempDir Path temp;
  private final FakeToolchain toolchain = new FakeToolchain();
  private final KernelSource source =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");

  private CacheManagerBuilder builder() {
    return CacheManager.builder()
        .environment(Map.of("KCACHE_DIR", temp.resolve("cache").toString()))
        .target(GFX90A)
        .toolchain(toolchain);
  }

  private CacheManager warmManager() {
    CacheManager cache = builder().build();
    cache.getOrCompile(source, GFX90A);
    return cache;
  }

  @Test
  void hit_isCounted() {
    try (CacheManager cache = warmManager()) {
      cache.getOrCompile(source);
      cache.getIfPresent(source);
      assertThat(cache.statistics().memoryHits()).isEqualTo(2);
    }
  }

  @Test
  void asyncHit_ofANewlyMadeSource_isCompleteAtOnce() {
    try (CacheManager cache = warmManager()) {
      KernelSource twin = KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");
      assertThat(cache.getOrCompileAsync(twin)).isCompleted();
      assertThat(cache.resolveAsync(twin, GFX90A).join().origin()).isEqualTo(Origin.MEMORY);
    }
  }

  /** What a manager once gave it goes on giving; another manager looks at the disk, and checks. */
  @Test
  void changedToolchainOrHeader_isSeenOnDiskOnly() {
    try (CacheManager cache = warmManager()) {
      toolchain.changed = FakeToolchain.HEADERS;
      toolchain.content = "compiler 2";
      assertThat(cache.resolveAsync(source, GFX90A).join().origin()).isEqualTo(Origin.MEMORY);
      try (CacheManager other = builder().build()) {
        assertThat(other.getIfPresent(source)).isEmpty();
      }
    }
  }

  @Test
  void memoryHit_asksNoToolchain() {
    try (CacheManager cache = warmManager()) {
      toolchain.identities.set(0);
      cache.getOrCompile(source);
      cache.resolveAsync(source, GFX90A).join();
      assertThat(toolchain.identities).hasValue(0);
    }
  }

  @Test
  void bypassed_isNotServedAgain() {
    KernelSource twin = KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");
    try (CacheManager cache = warmManager()) {
      cache.getOrCompile(twin);
      cache.bypass(twin, cache.getOrCompile(twin));
      assertThat(cache.getIfPresent(source)).isEmpty();
      assertThat(cache.getIfPresent(twin)).isEmpty();
    }
  }

  @Test
  void closedManager_servesNothing() {
    CacheManager cache = warmManager();
    cache.close();
    assertThatThrownBy(() -> cache.getOrCompile(source, GFX90A))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cache.getIfPresent(source)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void managersAndTargets_areKeptApart() {
    Path other = temp.resolve("other");
    try (CacheManager cache = warmManager();
        CacheManager second =
            builder().environment(Map.of("KCACHE_DIR", other.toString())).build()) {
      assertThat(second.getIfPresent(source, GFX90A)).isEmpty();
      assertThat(cache.getIfPresent(source, GFX942)).isEmpty();
      for (int i = 0; i < 3; i++) {
        assertThat(cache.getOrCompile(source, GFX942).target()).isEqualTo(GFX942);
        assertThat(cache.getOrCompile(source, GFX90A).target()).isEqualTo(GFX90A);
      }
    }
  }

  @Test
  void withoutMemory_eachRequestReadsTheDisk() {
    try (CacheManager cache = builder().memoryLimit(0).build()) {
      cache.getOrCompile(source);
      for (int i = 0; i < 3; i++) {
        assertThat(cache.resolveAsync(source, GFX90A).join().origin()).isEqualTo(Origin.DISK);
      }
    }
  }

  @Test
  void source_ofManyManagers_holdsNoCodeObject() {
    List<WeakReference<CodeObject>> left = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      try (CacheManager cache = warmManager()) {
        left.add(new WeakReference<>(cache.getOrCompile(source)));
      }
    }
    for (int i = 0; i < 50 && left.stream().anyMatch(each -> each.get() != null); i++) {
      System.gc();
    }
    assertThat(left).allMatch(each -> each.get() == null);
  }
}
