// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheMissException;
import dev.kcache.cache.KernelCache;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.testing.InMemoryKernelCache.Outcome;
import dev.kcache.testing.InMemoryKernelCache.Request;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The cache that a test gives to the code under test. */
class InMemoryKernelCacheTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final TargetId GFX1030 = TargetId.parse("gfx1030");
  private static final CodeObject CODE = Known.codeObject("gfx90a");
  private static final KernelSource SAXPY = source("saxpy.hip");
  private static final KernelSource OTHER = source("other.hip");

  private static KernelSource source(String name) {
    return KernelSource.of(
        name, "extern \"C\" __attribute__((global)) void f(int* x) { x[0] = 1; }");
  }

  @Test
  void givenCodeObject_isAHitOfEachVerb() {
    KernelCache cache = InMemoryKernelCache.builder().codeObject("saxpy.hip", CODE).build();
    assertThat(
            List.of(
                cache.getOrCompile(SAXPY),
                cache.getOrCompile(SAXPY, GFX90A),
                cache.getOrCompileAsync(SAXPY).join(),
                cache.getOrCompileAsync(SAXPY, GFX90A).join(),
                cache.getIfPresent(SAXPY).orElseThrow(),
                cache.getIfPresent(SAXPY, GFX90A).orElseThrow()))
        .containsOnly(CODE);
    assertThat(((InMemoryKernelCache) cache).requests())
        .hasSize(6)
        .containsOnly(new Request(SAXPY, GFX90A, Outcome.HIT))
        .allSatisfy(request -> assertThat(request).hasToString("hit gfx90a saxpy.hip"));
  }

  @Test
  void givenCodeObject_servesItsOwnTargetOnly() {
    CodeObject newer = Known.codeObject("gfx1030");
    InMemoryKernelCache cache =
        InMemoryKernelCache.builder()
            .target("gfx1030")
            .codeObject("saxpy.hip", CODE)
            .codeObject("saxpy.hip", newer)
            .codeObject("other.hip", CODE)
            .build();
    assertThat(cache.getOrCompile(SAXPY)).isEqualTo(newer);
    assertThat(cache.getOrCompile(SAXPY, GFX90A)).isEqualTo(CODE);
    assertThat(cache.getIfPresent(OTHER)).isEmpty();
    assertThat(cache.getIfPresent(SAXPY, TargetId.parse("gfx90a:xnack+"))).isEmpty();
  }

  @Test
  void miss_withoutACompiler_failsAndIsTold() {
    InMemoryKernelCache cache = InMemoryKernelCache.builder().build();
    assertThatThrownBy(() -> cache.getOrCompile(SAXPY))
        .isInstanceOf(CacheMissException.class)
        .hasMessage("the test's cache has no code object of saxpy.hip for gfx90a, and no compiler");
    assertThat(cache.getOrCompileAsync(OTHER)).isCompletedExceptionally();
    assertThat(cache.requests())
        .map(Request::toString)
        .containsExactly("failed gfx90a saxpy.hip", "failed gfx90a other.hip");
    cache.clearRequests();
    assertThat(cache.requests()).isEmpty();
  }

  @Test
  void compiled_isKeptForItsSource() {
    InMemoryKernelCache cache =
        InMemoryKernelCache.builder().compiler((source, target) -> CODE).build();
    assertThat(cache.getIfPresent(SAXPY)).isEmpty();
    assertThat(cache.getOrCompile(SAXPY)).isEqualTo(CODE);
    assertThat(cache.getOrCompile(SAXPY)).isEqualTo(CODE);
    assertThat(cache.getIfPresent(OTHER)).isEmpty();
    assertThat(cache.requests())
        .map(Request::outcome)
        .containsExactly(Outcome.MISS, Outcome.COMPILED, Outcome.HIT, Outcome.MISS);
  }

  @Test
  void compilersFailure_isThrownAsItIsAndNotKept() {
    AtomicInteger calls = new AtomicInteger();
    InMemoryKernelCache cache =
        InMemoryKernelCache.builder()
            .compiler(
                (source, target) -> {
                  if (calls.incrementAndGet() < 3) {
                    throw new ToolchainNotFoundException("no compiler " + calls);
                  }
                  return CODE;
                })
            .build();
    assertThatThrownBy(() -> cache.getOrCompile(SAXPY))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage("no compiler 1");
    assertThat(cache.getOrCompileAsync(SAXPY).handle((code, failure) -> failure).join())
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage("no compiler 2");
    assertThat(cache.getOrCompile(SAXPY)).isEqualTo(CODE);
  }

  @Test
  void compilersWrongResult_isTheTestsOwnFault() {
    InMemoryKernelCache wrong =
        InMemoryKernelCache.builder().compiler((source, target) -> CODE).build();
    assertThatThrownBy(() -> wrong.getOrCompile(SAXPY, GFX1030))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the test's compiler returned gfx90a for saxpy.hip for gfx1030");
    InMemoryKernelCache empty =
        InMemoryKernelCache.builder().compiler((source, target) -> null).build();
    assertThatThrownBy(() -> empty.getOrCompile(SAXPY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the test's compiler returned null for saxpy.hip for gfx90a");
  }

  @Test
  void requestsAtTheSameTime_compileOnce() throws Exception {
    int threads = 4;
    CountDownLatch ready = new CountDownLatch(threads);
    AtomicInteger compiles = new AtomicInteger();
    InMemoryKernelCache cache =
        InMemoryKernelCache.builder()
            .compiler(
                (source, target) -> {
                  compiles.incrementAndGet();
                  return CODE;
                })
            .build();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<CodeObject>> results = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        results.add(
            pool.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return cache.getOrCompile(SAXPY);
                }));
      }
      for (Future<CodeObject> result : results) {
        assertThat(result.get()).isEqualTo(CODE);
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(compiles).hasValue(1);
    assertThat(cache.requests())
        .map(Request::outcome)
        .containsOnlyOnce(Outcome.COMPILED)
        .hasSize(threads);
  }

  @Test
  void executor_holdsAsynchronousRequests() {
    List<Runnable> held = new ArrayList<>();
    InMemoryKernelCache cache =
        InMemoryKernelCache.builder().codeObject("saxpy.hip", CODE).executor(held::add).build();
    CompletableFuture<CodeObject> future = cache.getOrCompileAsync(SAXPY);
    assertThat(future).isNotDone();
    assertThat(cache.requests()).isEmpty();
    held.forEach(Runnable::run);
    assertThat(future).isCompletedWithValue(CODE);
  }

  @Test
  void executorThatRefuses_failsTheFuture() {
    RejectedExecutionException refusal = new RejectedExecutionException("closed");
    InMemoryKernelCache cache =
        InMemoryKernelCache.builder()
            .codeObject("saxpy.hip", CODE)
            .executor(
                task -> {
                  throw refusal;
                })
            .build();

    assertThat(cache.getOrCompileAsync(SAXPY))
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCause(refusal);
  }

  @Test
  void requests_areTheLastOnes() {
    InMemoryKernelCache cache = InMemoryKernelCache.builder().codeObject("saxpy.hip", CODE).build();
    var first = cache.getIfPresent(OTHER);
    assertThat(first).isEmpty();
    for (int i = 0; i < InMemoryKernelCache.MOST_REQUESTS; i++) {
      assertThat(cache.getOrCompile(SAXPY)).isEqualTo(CODE);
    }
    assertThat(cache.requests())
        .hasSize(InMemoryKernelCache.MOST_REQUESTS)
        .extracting(Request::outcome)
        .containsOnly(Outcome.HIT);
  }

  @Test
  void null_isRefusedAtOnceByItsName() {
    InMemoryKernelCache cache = InMemoryKernelCache.builder().build();
    assertThatNullPointerException()
        .isThrownBy(() -> cache.getOrCompileAsync(null))
        .withMessage("source");
    assertThatNullPointerException()
        .isThrownBy(() -> cache.getIfPresent(SAXPY, null))
        .withMessage("target");
    assertThatNullPointerException()
        .isThrownBy(() -> InMemoryKernelCache.builder().codeObject("saxpy.hip", null))
        .withMessage("codeObject");
    assertThat(cache.requests()).isEmpty();
  }
}
