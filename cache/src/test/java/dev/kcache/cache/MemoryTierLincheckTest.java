// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.torture.Torture;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The single flight of a process, over many interleavings of some threads: whatever they do at once
 * has the outcome of some order of doing one thing after the other.
 */
public class MemoryTierLincheckTest {
  private static final TargetId TARGET = TargetId.parse("gfx90a");
  private static final CodeObject CODE = FakeToolchain.fixture(TARGET);
  private static final ToolchainLabel LABEL = new ToolchainLabel("6.4");
  private static final List<MemoryTier.Key> KEYS = List.of(key(0), key(1));

  private static final List<CacheResult> RESULTS =
      IntStream.range(0, 20).mapToObj(MemoryTierLincheckTest::result).toList();

  private final MemoryTier tier = new MemoryTier(1 << 20, () -> 0);
  private final AtomicIntegerArray loads = new AtomicIntegerArray(KEYS.size());

  @Operation
  public int get(@Param(gen = IntGen.class, conf = "0:1") int key) {
    return number(
        tier.get(
                KEYS.get(key),
                () -> CompletableFuture.completedFuture(RESULTS.get(loads.incrementAndGet(key))))
            .join());
  }

  @Operation
  public int getIfPresent(@Param(gen = IntGen.class, conf = "0:1") int key) {
    CacheResult held = tier.getIfPresent(KEYS.get(key));
    return held == null ? 0 : number(held);
  }

  @Test
  void singleFlight_underStress_isLinearizable() {
    check(new StressOptions().iterations(4).invocationsPerIteration(1000));
  }

  /** Ten seconds prepare the classes of the JDK for this, and each scenario takes some, too. */
  @Test
  @Tag(Torture.TAG)
  void singleFlight_inEachInterleaving_isLinearizable() {
    int scenarios = Math.max(1, Torture.rounds(1) / 20);
    // Caffeine chooses its stripes at random, which no two runs of an interleaving have in common.
    var caffeine =
        ManagedStrategyGuaranteeKt.forClasses(
            (String name) -> name.startsWith("com.github.benmanes.caffeine."));
    check(
        new ModelCheckingOptions()
            .iterations(scenarios)
            .invocationsPerIteration(1000)
            .addGuarantee(caffeine.allMethods().treatAsAtomic()));
    Torture.report("%d scenarios of three threads, in 1000 interleavings at most", scenarios);
  }

  private static void check(Options<?, ?> options) {
    options
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .sequentialSpecification(Sequential.class)
        .check(MemoryTierLincheckTest.class);
  }

  /** One thing after the other: a key is loaded once. */
  public static final class Sequential {
    private final Map<Integer, Integer> held = new HashMap<>();

    public int get(int key) {
      return held.computeIfAbsent(key, any -> 1);
    }

    public int getIfPresent(int key) {
      return held.getOrDefault(key, 0);
    }
  }

  private static MemoryTier.Key key(int number) {
    return new MemoryTier.Key(Digest.of(new byte[] {(byte) number}), TARGET, false);
  }

  private static int number(CacheResult result) {
    return (int) result.compileTime().toMillis();
  }

  /** Returns what the load of a number gave. */
  private static CacheResult result(int number) {
    return new CacheResult(
        CODE, CacheResult.Origin.DISK, LABEL, Duration.ofMillis(number), "", true, Map.of());
  }
}
