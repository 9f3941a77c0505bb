// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryTierTest {
  private static final TargetId TARGET = TargetId.parse("gfx90a");
  private static final int SIZE = FakeToolchain.fixture(TARGET).size();
  private static final MemoryTier.Key KEY = key(0);

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger loads = new AtomicInteger();

  private MemoryTier tier(long limit) {
    return new MemoryTier(limit, nanos::get);
  }

  private void advance(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private static MemoryTier.Key key(int number) {
    return new MemoryTier.Key(Digest.of(new byte[] {(byte) number}), TARGET, false);
  }

  private static CacheResult result() {
    return new CacheResult(
        FakeToolchain.fixture(TARGET),
        CacheResult.Origin.DISK,
        new ToolchainLabel("6.4"),
        Duration.ZERO,
        "",
        true,
        Map.of());
  }

  private static CompletableFuture<CacheResult> loaded() {
    return CompletableFuture.completedFuture(result());
  }

  private static CompletableFuture<CacheResult> unwanted() {
    throw new AssertionError("nothing is to be loaded");
  }

  private CompletableFuture<CacheResult> fail(MemoryTier tier, Throwable failure) {
    return tier.get(
        KEY,
        () -> {
          loads.incrementAndGet();
          return CompletableFuture.failedFuture(failure);
        });
  }

  private static long heldOf(MemoryTier tier, int keys) {
    return IntStream.range(0, keys).filter(i -> tier.getIfPresent(key(i)) != null).count();
  }

  @Test
  void failedCompile_isForgottenAfterFiveSeconds() {
    MemoryTier tier = tier(1 << 20);
    // As a future says it that depends on another one.
    CompletionException failure =
        new CompletionException(new CompilationException("k.hip", "broken", List.of(), 1, ""));
    assertThat(fail(tier, failure)).isCompletedExceptionally();
    advance(Duration.ofMillis(4900));
    assertThat(fail(tier, failure))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isSameAs(failure.getCause());
    assertThat(tier.getIfPresent(KEY)).isNull();
    assertThat(loads).hasValue(1);
    advance(Duration.ofMillis(200));
    assertThat(fail(tier, failure)).isCompletedExceptionally();
    assertThat(loads).hasValue(2);
  }

  @Test
  void otherFailures_areNotRemembered() {
    MemoryTier tier = tier(1 << 20);
    assertThat(fail(tier, new ToolchainNotFoundException("no hipcc"))).isCompletedExceptionally();
    assertThat(fail(tier, new OutOfMemoryError("heap"))).isCompletedExceptionally();
    assertThat(loads).hasValue(2);
    assertThat(tier.get(KEY, MemoryTierTest::loaded)).isCompleted();
  }

  @Test
  void loadThatCannotBegin_isNotRemembered() {
    MemoryTier tier = tier(1 << 20);
    for (Throwable failure :
        List.of(new IllegalStateException("closed"), new OutOfMemoryError("no native thread"))) {
      Supplier<CompletableFuture<CacheResult>> load =
          () -> {
            if (failure instanceof Error error) {
              throw error;
            }
            throw (RuntimeException) failure;
          };
      assertThatThrownBy(() -> tier.get(KEY, load)).isSameAs(failure);
    }
    assertThat(tier.get(KEY, MemoryTierTest::loaded)).isCompleted();
  }

  /** What is loaded weighs nothing until it is there. */
  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1"})
  void limit_keepsAsManyBytesAsFit(int less, int fewer) {
    for (boolean loads : new boolean[] {false, true}) {
      MemoryTier tier = tier(3L * SIZE - less);
      for (int i = 0; i < 9; i++) {
        if (loads) {
          assertThat(tier.get(key(i), MemoryTierTest::loaded)).isCompleted();
        } else {
          tier.put(key(i), result());
          tier.put(key(i), result());
        }
        assertThat(heldOf(tier, 9)).isEqualTo(Math.min(i + 1, 3 - fewer));
      }
    }
  }

  @Test
  void held_staysHoweverOldItIsAndIsNotLoadedAgain() {
    MemoryTier tier = tier(1 << 20);
    CacheResult result = result();
    tier.put(KEY, result);
    advance(Duration.ofDays(1000));
    assertThat(tier.get(KEY, MemoryTierTest::unwanted)).isCompletedWithValue(result);
  }

  @Test
  void removed_isNotServedAndMakesRoom() {
    MemoryTier tier = tier(2L * SIZE);
    for (int i = 0; i < 5; i++) {
      tier.put(key(i), result());
      tier.remove(key(i).source(), Digest.of(new byte[] {1}));
      assertThat(tier.getIfPresent(key(i))).isNotNull();
      tier.remove(key(i).source(), result().codeObject().digest());
      assertThat(tier.getIfPresent(key(i))).isNull();
    }
    tier.put(key(0), result());
    tier.put(key(1), result());
    assertThat(heldOf(tier, 9)).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 1 << 20})
  void load_isSharedUntilItEnds(long limit) {
    MemoryTier tier = tier(limit);
    CompletableFuture<CacheResult> load = new CompletableFuture<>();
    CompletableFuture<CacheResult> first = tier.get(KEY, () -> load);
    CompletableFuture<CacheResult> second = tier.get(KEY, MemoryTierTest::unwanted);
    assertThat(tier.getIfPresent(KEY)).isNull();
    first.cancel(true);
    CacheResult result = result();
    load.complete(result);
    assertThat(second).isCompletedWithValue(result);
    assertThat(tier.getIfPresent(KEY)).isEqualTo(limit < SIZE ? null : result);
  }

  @Test
  void withoutRoom_nothingIsHeld() {
    MemoryTier tier = tier(0);
    tier.put(KEY, result());
    assertThat(tier.getIfPresent(KEY)).isNull();
    assertThat(fail(tier, new CompilationException("k.hip", "broken", List.of(), 1, "")))
        .isCompletedExceptionally();
    assertThat(tier.get(KEY, MemoryTierTest::loaded)).isCompleted();
    assertThat(tier.getIfPresent(KEY)).isNull();
  }
}
