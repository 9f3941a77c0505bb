// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.standin.Warnings;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SealTest extends CacheTestBase {
  private static final KernelSource EDITED =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() { /* edited */ }\n");

  private static void assertMissed(ThrowingCallable request, String toolchain, String reason) {
    String digest = RequestKey.describe(EDITED, GFX90A).digest().toString();
    assertThatThrownBy(request)
        .isInstanceOf(CacheMissException.class)
        .message()
        .isEqualTo(
            "k.hip for gfx90a"
                + toolchain
                + " (request "
                + digest
                + ") is not in the cache, and "
                + reason);
  }

  @Test
  void sealedManager_servesHitsAndRefusesMisses() {
    fill(OTHER);
    try (CacheManager cache = manager();
        Warnings warnings = Warnings.of(Misses.class)) {
      cache.getOrCompile(SOURCE, GFX90A);
      cache.seal();

      assertThat(origin(cache, SOURCE)).isEqualTo(CacheResult.Origin.MEMORY);
      assertThat(origin(cache, OTHER)).isEqualTo(CacheResult.Origin.DISK);
      String reason =
          "the cache is sealed; prewarm it; the nearest entry differs: source 'k.hip' changed";
      assertMissed(() -> cache.getOrCompile(EDITED, GFX90A), " with toolchain 5.2", reason);
      CompletableFuture<CacheResult> future = cache.resolveAsync(EDITED, GFX90A);
      assertThat(future.handle((result, failure) -> failure.getCause()).join())
          .isInstanceOf(CacheMissException.class);
      assertThat(cache.getIfPresent(EDITED, GFX90A)).isEmpty();
      assertThat(warnings.lines()).isNotEmpty().allMatch(line -> line.contains(reason));
      assertThat(cache.statistics().misses()).isEqualTo(1 + 3);
      assertThat(toolchain.jobs).hasSize(2);
    }
  }

  @Test
  void withoutACompiler_aMissIsNoOtherFailure() {
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      cache.seal();

      assertMissed(
          () -> cache.getOrCompile(EDITED, GFX90A),
          "",
          "the cache is sealed; prewarm it; no entry is like it in '"
              + root()
              + "' (does not exist)");
      assertThat(cache.statistics().misses()).isEqualTo(1);
      assertThatThrownBy(() -> cache.getIfPresent(EDITED, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class);
    }
  }

  @Test
  void sealedPolicy_namesTheNearestEntryToo() {
    fill(SOURCE);
    try (CacheManager cache = manager("KCACHE_POLICY", "sealed")) {
      assertMissed(
          () -> cache.getOrCompile(EDITED, GFX90A),
          " with toolchain 5.2",
          "KCACHE_POLICY=sealed forbids compiling it; prewarm it; the nearest entry differs:"
              + " source 'k.hip' changed");
    }
  }

  @Test
  void noEntryIsLikeIt_namesEveryDirectoryThatWasLookedInto() throws Exception {
    Files.createDirectory(root());
    Path layer = temp.resolve("layer");
    try (CacheManager cache = manager("KCACHE_POLICY", "sealed", "KCACHE_PATH", layer.toString())) {
      assertMissed(
          () -> cache.getOrCompile(EDITED, GFX90A),
          " with toolchain 5.2",
          ("KCACHE_POLICY=sealed forbids compiling it; prewarm it; no entry is like it in"
                  + " '%s' (has no entries), '%s' (does not exist)")
              .formatted(root(), layer));
    }
    try (CacheManager cache = manager("KCACHE_POLICY", "sealed", "KCACHE_DISABLE", "1")) {
      assertMissed(
          () -> cache.getOrCompile(EDITED, GFX90A),
          " with toolchain 5.2",
          "KCACHE_POLICY=sealed forbids compiling it; prewarm it; no entry is like it: no directory"
              + " is looked into");
    }
  }

  @Test
  void compileUnderWay_endsAsItWould() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager cache = manager()) {
      CompletableFuture<CacheResult> running = cache.resolveAsync(SOURCE, GFX90A);
      FakeToolchain.await(toolchain.started);
      cache.seal();
      toolchain.gate.countDown();

      assertThat(running.get().origin()).isEqualTo(CacheResult.Origin.COMPILED);
    }
  }
}
