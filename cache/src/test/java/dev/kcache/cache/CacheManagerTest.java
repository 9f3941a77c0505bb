// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.standin.Script;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class CacheManagerTest extends CacheTestBase {
  /** A manager whose environment has no compiler, nor a place where one could be. */
  private CacheManager withoutToolchain(String... environment) {
    return CacheManager.builder().environment(environment(environment)).build();
  }

  @Test
  void request_isCompiledThenServedFromMemoryThenFromDisk() {
    try (CacheManager cache = manager()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.MEMORY);
    }
    try (CacheManager later = manager()) {
      assertThat(origin(later, SOURCE)).isEqualTo(Origin.DISK);
      assertThat(later.getOrCompile(SOURCE, GFX90A)).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(later.statistics().diskHits()).isEqualTo(1);
      assertThat(later.statistics().memoryHits()).isEqualTo(1);
      assertThat(later.statistics().savedTime()).hasMillis(500);
    }
    assertThat(toolchain.jobs).hasSize(1);
  }

  @Test
  void getIfPresent_neverCompiles() {
    try (CacheManager cache = manager()) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      CodeObject made = cache.getOrCompile(SOURCE, GFX90A);
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).contains(made);
    }
    assertThat(toolchain.jobs).hasSize(1);
  }

  @Test
  void sixtyFourThreads_compileOnce() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(64);
    try (CacheManager cache = manager()) {
      List<Future<CodeObject>> results = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        results.add(threads.submit(() -> cache.getOrCompile(SOURCE, GFX90A)));
      }
      FakeToolchain.await(toolchain.started);
      toolchain.gate.countDown();
      for (Future<CodeObject> result : results) {
        assertThat(result.get(10, SECONDS)).isEqualTo(FakeToolchain.fixture(GFX90A));
      }
      assertThat(toolchain.jobs).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void interruptedCaller_leavesTheCompileToTheOthers() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (CacheManager cache = manager()) {
      CompletableFuture<Boolean> flag = new CompletableFuture<>();
      CompletableFuture<Thread> caller = new CompletableFuture<>();
      Future<CodeObject> impatient =
          threads.submit(
              () -> {
                caller.complete(Thread.currentThread());
                try {
                  return cache.getOrCompile(SOURCE, GFX90A);
                } finally {
                  flag.complete(Thread.currentThread().isInterrupted());
                }
              });
      FakeToolchain.await(toolchain.started);
      CompletableFuture<CodeObject> patient = cache.getOrCompileAsync(SOURCE, GFX90A);
      caller.join().interrupt();
      assertThatThrownBy(() -> impatient.get(10, SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(CancellationException.class);
      assertThat(flag.join()).isTrue();
      toolchain.gate.countDown();
      assertThat(patient.join()).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(toolchain.jobs).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void cancelledFuture_leavesTheCompileToTheOthers() {
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager cache = manager()) {
      CompletableFuture<CodeObject> cancelled = cache.getOrCompileAsync(SOURCE, GFX90A);
      FakeToolchain.await(toolchain.started);
      CompletableFuture<CodeObject> patient = cache.getOrCompileAsync(SOURCE, GFX90A);
      assertThat(cancelled.cancel(true)).isTrue();
      toolchain.gate.countDown();
      assertThat(patient.join()).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(toolchain.jobs).hasSize(1);
    }
  }

  @Test
  void failedCompile_isRememberedInMemoryAndNotOnDisk() {
    toolchain.broken = true;
    try (CacheManager cache = manager()) {
      for (int i = 0; i < 100; i++) {
        assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
            .isInstanceOf(CompilationException.class)
            .hasMessage("k.hip: broken on purpose");
      }
      assertThat(toolchain.jobs).hasSize(1);
      assertThat(cache.statistics().failedCompiles()).isEqualTo(1);
    }
    toolchain.broken = false;
    assertThat(origin(builder(), SOURCE)).isEqualTo(Origin.COMPILED);
  }

  @Test
  void compileThatRunsOutOfMemory_isAnErrorForItsCallersAndNotRemembered() {
    toolchain.memory = Integer.MAX_VALUE;
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(OutOfMemoryError.class);

      toolchain.memory = 0;
      assertThat(cache.getOrCompile(SOURCE, GFX90A)).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(cache.statistics().failedCompiles()).isEqualTo(1);
    }
  }

  @Test
  void recompile_replacesWhatTheDiskHas() {
    fill(SOURCE);
    assertThat(origin(builder().recompiling(), SOURCE)).isEqualTo(Origin.COMPILED);
    try (CacheManager later = manager()) {
      assertThat(origin(later, SOURCE)).isEqualTo(Origin.DISK);
      assertThat(later.maintenance().entries()).hasSize(1);
    }
  }

  @Test
  void disabled_neitherReadsNorWritesTheDisk_whichIsNoFault() throws Exception {
    fill(SOURCE);
    List<Path> before = files(root(), "");
    try (Warnings warnings = Warnings.of(Directories.class);
        CacheManager disabled = manager("KCACHE_DISABLE", "1")) {
      CacheResult result = disabled.resolveAsync(SOURCE, GFX90A).join();
      assertThat(result.origin()).isEqualTo(Origin.COMPILED);
      assertThat(result.kept()).isFalse();
      assertThat(disabled.statistics().notKept()).isZero();
      assertThat(disabled.maintenance().directory()).isEmpty();
      assertThat(disabled.maintenance().usage().kernels()).isEmpty();
      assertThat(warnings.lines()).isEmpty();
    }
    assertThat(files(root(), "")).isEqualTo(before);
  }

  @Test
  void changedToolchain_isAMissOnDiskAndTheOldOneAHitAgain() {
    try (CacheManager cache = builder().memoryLimit(0).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
      toolchain.content = "compiler 2";
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
    toolchain.content = "compiler 1";
    assertThat(origin(builder(), SOURCE)).isEqualTo(Origin.DISK);
  }

  /** What a manager once gave it goes on giving; another manager looks at the disk, and checks. */
  @Test
  void changedSystemHeader_isSeenOnDiskOnly() {
    try (CacheManager cache = manager();
        CacheManager other = manager()) {
      cache.getOrCompile(SOURCE, GFX90A);
      toolchain.changed = FakeToolchain.HEADERS;
      toolchain.identities.set(0);
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.MEMORY);
      assertThat(toolchain.identities).as("a hit in memory asks no toolchain").hasValue(0);
      assertThat(other.getIfPresent(SOURCE, GFX90A)).isEmpty();
    }
  }

  @Test
  void preferCacheAndSealed_serveWhatAnotherToolchainMade() {
    fill(SOURCE);
    toolchain.content = "compiler 2";
    for (String policy : List.of("prefer-cache", "sealed")) {
      try (CacheManager cache = manager("KCACHE_POLICY", policy)) {
        assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      }
    }
  }

  @Test
  void sealedMiss_saysWhatWasAsked() {
    try (CacheManager cache = manager("KCACHE_POLICY", "sealed")) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(CacheMissException.class)
          .hasMessageContainingAll("k.hip", "gfx90a", "5.2", "sealed");
    }
    assertThat(toolchain.jobs).isEmpty();
  }

  @Test
  void configuredVersion_findsWithoutAnyToolchain() {
    fill(SOURCE);
    try (CacheManager bare =
        withoutToolchain("ROCM_VERSION", "5.2", "ARCH", "gfx90a", "PATH", temp.toString())) {
      assertThat(bare.getOrCompile(SOURCE)).isEqualTo(FakeToolchain.fixture(GFX90A));
    }
  }

  @Test
  void configuredVersionThatAgreesWithTheCompiler_compilesAndHits() {
    for (String version : List.of("5.2", "5.2.3", "05.02")) {
      try (CacheManager cache = manager("ROCM_VERSION", version)) {
        assertThat(cache.getOrCompile(SOURCE, GFX90A)).isEqualTo(FakeToolchain.fixture(GFX90A));
      }
    }
    assertThat(toolchain.jobs).hasSize(1);
  }

  @Test
  void configuredVersionThatContradictsTheCompiler_isRefused() {
    try (CacheManager cache = manager("ROCM_VERSION", "6.4")) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("6.4", "5.2");
    }
    assertThat(root()).doesNotExist();
  }

  @Test
  void features_neverShareAndOrderDoesNotMatter() {
    try (CacheManager cache = manager()) {
      List<String> different =
          List.of("gfx90a", "gfx90a:xnack+", "gfx90a:xnack-", "gfx90a:sramecc+:xnack-");
      for (String target : different) {
        assertThat(cache.getIfPresent(SOURCE, TargetId.parse(target))).as(target).isEmpty();
        assertThat(cache.getOrCompile(SOURCE, TargetId.parse(target)).target()).hasToString(target);
      }
      TargetId otherOrder = TargetId.parse("gfx90a:xnack-:sramecc+");
      assertThat(cache.getIfPresent(SOURCE, otherOrder)).isPresent();
      assertThat(cache.maintenance().entries()).hasSize(4);
    }
  }

  @Test
  void damagedEntry_isCompiledAgainAndMovedAside() throws Exception {
    fill(SOURCE);
    Path code = files(root(), ".co").get(0);
    byte[] bytes = Files.readAllBytes(code);
    bytes[bytes.length / 2] ^= 1;
    Files.write(code, bytes);
    try (CacheManager cache = manager()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(cache.maintenance().quarantined()).isEqualTo(1);
    }
  }

  @Test
  void close_endsCompilesAndRefusesRequests() {
    toolchain.gate = new CountDownLatch(1);
    CacheManager cache = manager();
    CompletableFuture<CodeObject> pending = cache.getOrCompileAsync(SOURCE, GFX90A);
    FakeToolchain.await(toolchain.started);
    cache.close();
    cache.close();
    assertThat(pending).failsWithin(Duration.ofSeconds(10));
    assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cache.getIfPresent(SOURCE, GFX90A))
        .isInstanceOf(IllegalStateException.class);
  }

  /** More of them than there are threads: most never have their turn. */
  @Test
  void close_overLookupsThatWait_endsThem() {
    CacheManager cache = manager();
    List<CompletableFuture<CodeObject>> pending = new ArrayList<>();
    toolchain.gate = new CountDownLatch(1);
    for (int i = 0; i < 200; i++) {
      KernelSource source = KernelSource.of(i + ".hip", "__global__ void k() {}\n");
      pending.add(cache.getOrCompileAsync(source, GFX90A));
    }
    cache.close();

    for (CompletableFuture<CodeObject> each : pending) {
      assertThat(each).failsWithin(Duration.ofSeconds(10));
    }
  }

  @Test
  void builderThatIsChangedLater_leavesTheManagerAsItIs() {
    CacheManagerBuilder builder =
        CacheManager.builder()
            .directory(temp)
            .environment(Map.of("KCACHE_COMPILER", "/missing/first"));
    try (CacheManager cache = builder.build()) {
      builder.environment(Map.of("KCACHE_COMPILER", "/missing/second"));

      assertThatThrownBy(() -> cache.toolchain(Platform.AMD).label())
          .hasMessageContaining("/missing/first");
    }
  }

  @Test
  void devices_areListedWhateverTargetIsConfigured() throws Exception {
    Path fixture =
        Path.of("../toolchain/src/test/resources/rocminfo/rocminfo.mi210x2.txt").toAbsolutePath();
    Path rocminfo = Script.write(temp.resolve("bin/rocminfo"), "/bin/cat '" + fixture + "'");

    try (CacheManager cache =
        builder("PATH", rocminfo.getParent().toString()).target(GFX90A).build()) {
      assertThat(cache.devices())
          .extracting(DetectedDevice::name)
          .containsExactly("AMD Instinct MI210", "AMD Instinct MI210");
      assertThat(cache.devices().get(1))
          .isEqualTo(
              new DetectedDevice(
                  TargetId.parse("gfx90a:sramecc+:xnack-"),
                  "AMD Instinct MI210",
                  Optional.of("GPU-2c0c6a9ce4219723")));
    }
  }
}
