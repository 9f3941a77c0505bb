// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.store.Request;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryTierTest {
  private static final TargetId TARGET = TargetId.parse("gfx90a");
  private static final Digest DIGEST = Digest.of(new byte[] {7});
  private static final RequestKey KEY =
      new RequestKey(new Request(DIGEST, TARGET, new ToolchainLabel("5.2")), DIGEST);

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger loads = new AtomicInteger();

  private MemoryTier tier(long limit) {
    return new MemoryTier(limit, nanos::get);
  }

  private void advance(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private static Resolved resolved() {
    CodeObject code = FakeToolchain.fixture(TARGET);
    CacheEntry entry =
        new CacheEntry(
            code.digest(),
            code.size(),
            code.abiVersion(),
            "k.hip",
            TARGET,
            new ToolchainLabel("5.2"),
            DIGEST,
            DIGEST,
            List.of(),
            List.of(),
            "",
            Duration.ZERO,
            Instant.EPOCH,
            List.of());
    return new Resolved(new StoredEntry(entry, code), CacheResult.Origin.DISK, true);
  }

  private CompletableFuture<Resolved> fail(MemoryTier tier, RuntimeException failure) {
    return tier.get(
        KEY,
        () -> {
          loads.incrementAndGet();
          throw failure;
        },
        Runnable::run);
  }

  @Test
  void failedCompile_isForgottenAfterFiveSeconds() {
    MemoryTier tier = tier(1 << 20);
    CompilationException failure = new CompilationException("k.hip", "broken", List.of(), 1, "");
    assertThat(fail(tier, failure)).isCompletedExceptionally();
    advance(Duration.ofMillis(4900));
    assertThat(fail(tier, failure)).isCompletedExceptionally();
    assertThat(loads).hasValue(1);
    advance(Duration.ofMillis(200));
    assertThat(fail(tier, failure)).isCompletedExceptionally();
    assertThat(loads).hasValue(2);
  }

  @Test
  void missingCompiler_isNotRemembered() {
    MemoryTier tier = tier(1 << 20);
    ToolchainNotFoundException failure = new ToolchainNotFoundException("no hipcc");
    assertThat(fail(tier, failure)).isCompletedExceptionally();
    assertThat(fail(tier, failure)).isCompletedExceptionally();
    assertThat(loads).hasValue(2);
  }

  @Test
  void toolchainFiles_areCheckedOnceAnInterval() {
    MemoryTier tier = tier(1 << 20);
    Resolved resolved = resolved();
    tier.put(KEY, resolved);
    AtomicInteger checks = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      assertThat(tier.getIfPresent(KEY, entry -> checks.incrementAndGet() > 0)).isSameAs(resolved);
    }
    assertThat(checks).hasValue(0);
    advance(Duration.ofSeconds(3));
    tier.getIfPresent(KEY, entry -> checks.incrementAndGet() > 0);
    tier.getIfPresent(KEY, entry -> checks.incrementAndGet() > 0);
    assertThat(checks).hasValue(1);
    advance(Duration.ofSeconds(3));
    assertThat(tier.getIfPresent(KEY, entry -> false)).isNull();
    assertThat(tier.getIfPresent(KEY, entry -> true)).isNull();
  }

  @Test
  void limit_isInBytes() {
    MemoryTier tier = tier(FakeToolchain.fixture(TARGET).size() - 1L);
    tier.put(KEY, resolved());
    assertThat(tier.getIfPresent(KEY, entry -> true)).isNull();
  }
}
