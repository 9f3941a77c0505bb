// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.cache.CacheListener;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import dev.kcache.toolchain.ToolchainLabel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Callbacks of a {@link KernelManager}'s futures may do what any caller does. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class KernelCallbacksTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final CodeObject CODE = FixedToolchain.fixture("/kernels/hipcc-5.2-gfx90a.co");

  @TempDir private Path temp;
  private final CountDownLatch gate = new CountDownLatch(1);
  private StandIn standIn;
  private HipDevice device;

  @BeforeEach
  void oneDevice() {
    standIn = StandIn.build(Version.HIP_6_4).devices("gfx90a:sramecc+:xnack-");
    device = HipRuntime.at(standIn.directory()).devices().get(0);
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(standIn.counters()).isEqualTo(StandIn.Counters.cleanAfter(0));
  }

  private CacheManagerBuilder cache(int parallelism) {
    return CacheManager.builder()
        .environment(Map.of("KCACHE_DIR", temp.toString()))
        .toolchain(new FixedToolchain(CODE, new ToolchainLabel("5.2"), gate))
        .parallelism(parallelism);
  }

  private KernelManagerBuilder kernels(CacheManager cache) {
    return KernelManager.builder().device(device).cache(cache);
  }

  private static KernelSource source(String name) {
    return KernelSource.of(name + ".hip", "extern \"C\" __global__ void k() {}\n");
  }

  private void checkChains(KernelManager kernels) {
    List<CompletableFuture<LoadedModule>> ends = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      KernelSource second = source("second" + i);
      KernelSource third = source("third" + i);
      ends.add(
          kernels
              .getOrCompileAsync(source("first" + i))
              .thenApply(module -> kernels.getOrCompileAsync(second).join())
              .thenApply(module -> kernels.getOrCompile(third)));
    }
    gate.countDown();
    for (CompletableFuture<LoadedModule> end : ends) {
      assertThat(end).succeedsWithin(SOON);
    }
  }

  static Stream<Executor> executors() {
    Executor onTheThreadThatCompletes = Runnable::run;
    Executor refusing =
        task -> {
          throw new RejectedExecutionException("saturated");
        };
    return Stream.of(onTheThreadThatCompletes, refusing);
  }

  @ParameterizedTest
  @MethodSource("executors")
  void callbacksThatAskForOthers_end(Executor executor) {
    try (CacheManager cache = cache(1).executor(executor).build();
        KernelManager kernels = kernels(cache).executor(executor).build()) {
      checkChains(kernels);
    }
  }

  @Test
  void callbacksThatAskForOthers_endByDefault() {
    try (CacheManager cache = cache(2).build();
        KernelManager kernels = kernels(cache).build()) {
      checkChains(kernels);
    }
  }

  @Test
  void callersExecutor_completesFutures() {
    ExecutorService executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "mine"));
    try (CacheManager cache = cache(1).build();
        KernelManager kernels = kernels(cache).executor(executor).build()) {
      CompletableFuture<String> thread =
          kernels
              .getOrCompileAsync(source("k"))
              .thenApply(module -> Thread.currentThread().getName());
      gate.countDown();
      assertThat(thread).succeedsWithin(SOON).isEqualTo("mine");
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void executorThatIsSaturated_holdsUpNoBlockingCall() {
    gate.countDown();
    try (CacheManager cache = cache(1).executor(task -> {}).build();
        KernelManager kernels = kernels(cache).executor(task -> {}).build()) {
      CompletableFuture<LoadedModule> asked = kernels.getOrCompileAsync(source("k"));
      assertThat(kernels.getOrCompile(source("k")).device()).isEqualTo(device);
      assertThat(asked).isNotDone();
    }
  }

  @Test
  void closeInACallback_returnsAtOnce() {
    CacheManager cache = cache(1).build();
    KernelManager kernels = kernels(cache).build();
    CompletableFuture<Void> closed =
        kernels
            .getOrCompileAsync(source("k"))
            .thenAccept(
                module -> {
                  kernels.close();
                  cache.close();
                });
    gate.countDown();
    assertThat(closed).succeedsWithin(Duration.ofSeconds(5));
    assertThat(kernels.getOrCompileAsync(source("other")))
        .failsWithin(SOON)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(IllegalStateException.class);
  }

  /** What one thread of the stress does to both managers. */
  private static final class Stress {
    private static final int DEPTH = 3;
    private final CacheManager cache;
    private final KernelManager kernels;
    private final int sources;

    Stress(CacheManager cache, KernelManager kernels, int sources) {
      this.cache = cache;
      this.kernels = kernels;
      this.sources = sources;
    }

    private CompletableFuture<?> act(Random random, int depth) {
      CompletableFuture<?> asked = ask(random);
      long seed = random.nextLong();
      return asked.thenCompose(
          result -> {
            Random next = new Random(seed);
            call(next);
            return depth == 0
                ? CompletableFuture.completedFuture(null)
                : act(next, depth - 1).thenApply(done -> null);
          });
    }

    /** A call that does not wait: whatever listeners may do. */
    CompletableFuture<?> ask(Random random) {
      KernelSource source = source("s" + random.nextInt(sources));
      return random.nextBoolean()
          ? kernels.getOrCompileAsync(source)
          : cache.getOrCompileAsync(source, TargetId.parse("gfx90a"));
    }

    /** A blocking call, or one that waits for a future: whatever callbacks may do. */
    void call(Random random) {
      KernelSource source = source("s" + random.nextInt(sources));
      switch (random.nextInt(4)) {
        case 0 -> kernels.getOrCompile(source);
        case 1 -> cache.getOrCompile(source, TargetId.parse("gfx90a"));
        case 2 -> kernels.getOrCompileAsync(source).join();
        default -> cache.getOrCompileAsync(source, TargetId.parse("gfx90a")).join();
      }
    }
  }

  /**
   * Threads, callbacks and a listener ask both managers for what the others ask for as well, until
   * one of them closes both: each request ends, with a result or since the managers are closed.
   */
  @Test
  void randomCallbacksListenersAndCloses_allEnd() throws Exception {
    gate.countDown();
    Random seeds = new Random(31);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    AtomicInteger results = new AtomicInteger();
    AtomicInteger closed = new AtomicInteger();
    for (int round = 0; System.nanoTime() < end; round++) {
      playRound(round, seeds, results, closed);
    }
    assertThat(results.get()).isPositive();
    assertThat(closed.get()).isPositive();
  }

  private void playRound(int round, Random seeds, AtomicInteger results, AtomicInteger closed) {
    Executor executor = round % 3 == 0 ? Runnable::run : null;
    CompletableFuture<Stress> stress = new CompletableFuture<>();
    ConcurrentLinkedQueue<CompletableFuture<?>> listeners = new ConcurrentLinkedQueue<>();
    long listening = seeds.nextLong();
    CacheListener listener =
        event -> {
          if (event instanceof CompileStarted started) {
            listeners.add(stress.join().ask(new Random(listening + started.source().hashCode())));
          }
        };
    CacheManagerBuilder builder = cache(1 + round % 3).listener(listener);
    if (round % 2 == 0) {
      builder.recompiling();
    }
    CacheManager cache = (executor == null ? builder : builder.executor(executor)).build();
    KernelManager kernels =
        (executor == null ? kernels(cache) : kernels(cache).executor(executor)).build();
    Stress shared = new Stress(cache, kernels, 4 + seeds.nextInt(16));
    stress.complete(shared);
    List<CompletableFuture<?>> all = new ArrayList<>();
    int closing = seeds.nextInt(24);
    for (int i = 0; i < 24; i++) {
      CompletableFuture<?> chain;
      try {
        chain = shared.act(new Random(seeds.nextLong()), Stress.DEPTH);
      } catch (IllegalStateException e) {
        closed.incrementAndGet();
        continue;
      }
      all.add(chain);
      if (i == closing) {
        all.add(
            chain.handle(
                (result, failure) -> {
                  kernels.close();
                  cache.close();
                  return null;
                }));
      }
    }
    for (CompletableFuture<?> each : all) {
      try {
        each.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
        results.incrementAndGet();
      } catch (CompletionException e) {
        assertThat(root(e)).isInstanceOf(IllegalStateException.class);
        closed.incrementAndGet();
      }
    }
    kernels.close();
    cache.close();
    for (CompletableFuture<?> asked : listeners) {
      assertThat(asked.handle((result, failure) -> "ended")).succeedsWithin(SOON);
    }
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root instanceof CompletionException && root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
