// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.store.Request;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemoryTierTest {
  private static final TargetId TARGET = TargetId.parse("gfx90a");
  private static final Digest DIGEST = Digest.of(new byte[] {7});
  private static final RequestKey KEY =
      new RequestKey(new Request(DIGEST, TARGET, new ToolchainLabel("5.2")), DIGEST);

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger loads = new AtomicInteger();
  private final ManualTimer timer = new ManualTimer();

  private MemoryTier tier(long limit) {
    return new MemoryTier(limit, new CheckInterval(timer), nanos::get);
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
            DIGEST);
    return new Resolved(
        new StoredEntry(entry, code),
        CacheResult.Origin.DISK,
        true,
        new Tally(TargetId.parse("gfx90a"), "a.hip", new HitCounter.Rows()));
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
  void executorThatHasNoMemoryForAThread_isNotRemembered() {
    MemoryTier tier = tier(1 << 20);
    OutOfMemoryError error = new OutOfMemoryError("unable to create native thread");

    assertThatThrownBy(
            () ->
                tier.get(
                    KEY,
                    MemoryTierTest::resolved,
                    task -> {
                      throw error;
                    }))
        .isSameAs(error);

    assertThat(tier.get(KEY, MemoryTierTest::resolved, Runnable::run)).isCompleted();
  }

  @Test
  void loadThatRunsOutOfMemory_isNotRemembered() {
    MemoryTier tier = tier(1 << 20);
    OutOfMemoryError error = new OutOfMemoryError("Java heap space");
    CompletableFuture<Resolved> failed =
        tier.get(
            KEY,
            () -> {
              throw error;
            },
            Runnable::run);
    assertThat(failed).isCompletedExceptionally();

    assertThat(tier.get(KEY, MemoryTierTest::resolved, Runnable::run)).isCompleted();
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
      assertThat(held(tier, entry -> checks.incrementAndGet() > 0)).isSameAs(resolved);
    }
    // Once before there is a timer, and once since.
    assertThat(checks).hasValue(2);
    timer.passInterval();
    held(tier, entry -> checks.incrementAndGet() > 0);
    held(tier, entry -> checks.incrementAndGet() > 0);
    assertThat(checks).hasValue(3);
    timer.passInterval();
    assertThat(held(tier, entry -> false)).isNull();
    assertThat(held(tier, entry -> true)).isNull();
  }

  @Test
  void toolchainFiles_ofWhatAnyToolchainMade_areNotChecked() {
    MemoryTier tier = tier(1 << 20);
    RequestKey any = new RequestKey(KEY.request(), null);
    tier.put(any, resolved());
    assertThat(tier.getIfPresent(any, entry -> false)).isNotNull();
  }

  @Test
  void missInMemory_startsNoTimer() {
    MemoryTier tier = tier(1 << 20);
    assertThat(held(tier, entry -> true)).isNull();
    tier.put(KEY, resolved());
    assertThat(timer.isRunning()).isFalse();
  }

  @Test
  void limit_isInBytes() {
    MemoryTier tier = tier(FakeToolchain.fixture(TARGET).size() - 1L);
    tier.put(KEY, resolved());
    assertThat(held(tier, entry -> true)).isNull();
  }

  @Test
  void limit_keepsAsManyAsFit() {
    int size = FakeToolchain.fixture(TARGET).size();
    MemoryTier tier = tier(3L * size);
    for (int fitting = 1; fitting <= 3; fitting++) {
      tier.put(key(fitting), resolved());
      tier.put(key(fitting), resolved());
      assertThat(heldOf(tier, 9)).isEqualTo(fitting);
    }
    for (int i = 4; i < 9; i++) {
      tier.put(key(i), resolved());
      assertThat(heldOf(tier, 9)).isEqualTo(3);
    }
  }

  @Test
  void removed_makesRoom() {
    int size = FakeToolchain.fixture(TARGET).size();
    MemoryTier tier = tier(2L * size);
    for (int i = 0; i < 5; i++) {
      tier.put(key(i), resolved());
      tier.remove(key(i), resolved().stored().codeObject().digest());
    }
    tier.put(key(0), resolved());
    tier.put(key(1), resolved());
    assertThat(heldOf(tier, 9)).isEqualTo(2);
  }

  @Test
  void load_thatEndedMeanwhile_isNotLoadedAgain() {
    MemoryTier tier = tier(1 << 20);
    Resolved resolved = resolved();
    tier.put(KEY, resolved);
    assertThat(tier.get(KEY, MemoryTierTest::unwanted, Runnable::run))
        .isCompletedWithValue(resolved);
  }

  @Test
  void load_isSharedUntilItEnds() {
    MemoryTier tier = tier(0);
    List<Runnable> waiting = new ArrayList<>();
    Resolved resolved = resolved();
    CompletableFuture<Resolved> first = tier.get(KEY, () -> resolved, waiting::add);
    CompletableFuture<Resolved> second = tier.get(KEY, MemoryTierTest::unwanted, waiting::add);
    assertThat(waiting).hasSize(1);
    first.cancel(true);
    waiting.remove(0).run();
    assertThat(second).isCompletedWithValue(resolved);
    assertThat(tier.get(KEY, () -> resolved, waiting::add)).isNotDone();
    assertThat(waiting).hasSize(1);
  }

  @Test
  void load_thatNobodyTakes_isNotWaitedFor() {
    MemoryTier tier = tier(1 << 20);
    assertThatThrownBy(
            () ->
                tier.get(
                    KEY,
                    MemoryTierTest::unwanted,
                    task -> {
                      throw new RejectedExecutionException();
                    }))
        .isInstanceOf(RejectedExecutionException.class);
    Resolved resolved = resolved();
    assertThat(tier.get(KEY, () -> resolved, Runnable::run)).isCompletedWithValue(resolved);
  }

  private static Resolved unwanted() {
    throw new AssertionError("nothing is to be loaded");
  }

  private static @Nullable Resolved held(MemoryTier tier, Predicate<CacheEntry> isCurrent) {
    Held held = tier.getIfPresent(KEY, isCurrent);
    return held == null ? null : held.resolved();
  }

  private static RequestKey key(int number) {
    Digest digest = Digest.of(new byte[] {(byte) number});
    return new RequestKey(new Request(digest, TARGET, new ToolchainLabel("5.2")), DIGEST);
  }

  private static long heldOf(MemoryTier tier, int keys) {
    return IntStream.range(0, keys)
        .filter(i -> tier.getIfPresent(key(i), entry -> true) != null)
        .count();
  }
}
