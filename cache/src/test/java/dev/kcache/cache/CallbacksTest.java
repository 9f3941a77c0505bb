// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.codeobject.CodeObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Callbacks of futures may do what any caller does, on whatever executor; listeners too, but for
 * waiting.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CallbacksTest extends CacheTestBase {
  private static final CodeObject CODE = FakeToolchain.fixture(GFX90A);
  private static final KernelSource X = source("x");
  private static final KernelSource Y = source("y");
  private static final Duration SOON = Duration.ofSeconds(20);

  /** Less than what close() takes when it waits for the thread that it runs on. */
  private static final Duration AT_ONCE = Duration.ofSeconds(5);

  private final CompletableFuture<CacheManager> cache = new CompletableFuture<>();

  private CacheManagerBuilder builder(int parallelism) {
    return builder().parallelism(parallelism);
  }

  /** Makes the manager known to listeners that call it. */
  private CacheManager build(CacheManagerBuilder builder) {
    cache.complete(builder.build());
    return cache.join();
  }

  private CodeObject compile(KernelSource source) {
    return cache.join().getOrCompile(source, GFX90A);
  }

  /** Adds callbacks before anything is compiled, so that none runs on the thread that adds it. */
  private CompletableFuture<CodeObject> chain(CacheManager cache, String name, int depth) {
    CompletableFuture<CodeObject> end = cache.getOrCompileAsync(source(name), GFX90A);
    for (int i = 0; i < depth; i++) {
      KernelSource next = source(name + i);
      end = end.thenApply(code -> cache.getOrCompile(next, GFX90A));
    }
    return end;
  }

  /** Callbacks compile, as do those of their futures. */
  @ParameterizedTest
  @CsvSource({"2, 4, 1, false", "1, 1, 1, false", "1, 3, 3, false", "1, 3, 3, true"})
  void callbacksThatCompile_end(int workers, int count, int depth, boolean onTheCallingThread) {
    CacheManagerBuilder builder = builder(workers);
    if (onTheCallingThread) {
      builder.executor(Runnable::run);
    }
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager cache = builder.build()) {
      List<CompletableFuture<CodeObject>> ends = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ends.add(chain(cache, "chain" + i + "-", depth));
      }
      toolchain.gate.countDown();
      for (CompletableFuture<CodeObject> end : ends) {
        assertThat(end).succeedsWithin(SOON).isEqualTo(CODE);
      }
    }
  }

  /** More of them than threads that look things up. */
  @Test
  void callbacksThatWaitForOtherFutures_end() {
    try (CacheManager cache = builder(1).build()) {
      for (String name : List.of("a", "b", "c")) {
        cache.getOrCompile(source(name), GFX90A);
      }
    }
    try (CacheManager later = builder(1).build()) {
      List<CompletableFuture<CodeObject>> ends = new ArrayList<>();
      for (String name : List.of("a", "b", "c")) {
        ends.add(
            later
                .getOrCompileAsync(source(name), GFX90A)
                .thenApply(code -> later.getOrCompileAsync(source(name + 1), GFX90A).join()));
      }
      for (CompletableFuture<CodeObject> end : ends) {
        assertThat(end).succeedsWithin(SOON).isEqualTo(CODE);
      }
    }
  }

  @Test
  void toolchainThatCallsTheCache_onOneWorker_compilesInline() {
    toolchain.whileCompiling =
        job -> {
          if (job.source().name().equals("x.hip")) {
            compile(Y);
          }
        };
    try (CacheManager cache = build(builder(1))) {
      assertThat(cache.getOrCompileAsync(X, GFX90A)).succeedsWithin(SOON).isEqualTo(CODE);
      assertThat(toolchain.jobs).hasSize(2);
    }
  }

  @Test
  void asyncHit_doesNotQueueBehindCompiles() {
    try (CacheManager cache = builder(1).build()) {
      cache.getOrCompile(X, GFX90A);
    }
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager cache = builder(1).build()) {
      CompletableFuture<CodeObject> compiling = cache.getOrCompileAsync(Y, GFX90A);
      assertThat(cache.getOrCompileAsync(X, GFX90A)).succeedsWithin(SOON).isEqualTo(CODE);
      assertThat(compiling).isNotDone();
      toolchain.gate.countDown();
    }
  }

  @Test
  void failureOfACompile_isToldOffTheWorkersToo() {
    toolchain.gate = new CountDownLatch(1);
    toolchain.broken = true;
    try (CacheManager cache = builder(1).build()) {
      CompletableFuture<CodeObject> end =
          cache
              .getOrCompileAsync(X, GFX90A)
              .exceptionally(
                  failure -> {
                    toolchain.broken = false;
                    return cache.getOrCompile(Y, GFX90A);
                  });
      toolchain.gate.countDown();
      assertThat(end).succeedsWithin(SOON).isEqualTo(CODE);
    }
  }

  @Test
  void listenerThatAsksAndDoesNotWait_onOneWorker_ends() {
    CompletableFuture<CodeObject> other = new CompletableFuture<>();
    CacheListener listener =
        event -> {
          if (event instanceof CompileStarted started && started.source().equals("x.hip")) {
            var unused = cache.join().getOrCompileAsync(Y, GFX90A).thenAccept(other::complete);
          }
        };
    try (CacheManager cache = build(builder(1).listener(listener))) {
      assertThat(cache.getOrCompileAsync(X, GFX90A)).succeedsWithin(SOON).isEqualTo(CODE);
      assertThat(other).succeedsWithin(SOON).isEqualTo(CODE);
    }
  }

  @Test
  void closeInACallback_returnsAtOnce() {
    toolchain.gate = new CountDownLatch(1);
    CacheManager cache = builder(1).build();
    CompletableFuture<Void> closed =
        cache.getOrCompileAsync(X, GFX90A).thenAccept(code -> cache.close());
    toolchain.gate.countDown();
    assertThat(closed).succeedsWithin(AT_ONCE);
  }

  @Test
  void closeInAListener_returnsAtOnceAndEndsTheCompile() throws InterruptedException {
    toolchain.gate = new CountDownLatch(1);
    CompletableFuture<Thread> closed = new CompletableFuture<>();
    CacheListener listener =
        event -> {
          if (event instanceof CompileStarted) {
            cache.join().close();
            closed.complete(Thread.currentThread());
          }
        };
    CompletableFuture<CodeObject> compiling =
        build(builder(1).listener(listener)).getOrCompileAsync(X, GFX90A);
    assertThat(closed).succeedsWithin(AT_ONCE);
    assertThat(compiling)
        .failsWithin(AT_ONCE)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(IllegalStateException.class);
    awaitCompile(closed.join());
  }

  /** Waits for a compile whose own thread closed the manager, and so did not wait for itself. */
  private void awaitCompile(Thread thread) throws InterruptedException {
    thread.join(20_000);
    assertThat(thread.isAlive()).isFalse();
    // Waits for the lock of that compile.
    cache.join().close();
  }

  @Test
  void closeInAToolchain_returnsAtOnce() throws InterruptedException {
    CompletableFuture<Thread> closed = new CompletableFuture<>();
    toolchain.whileCompiling =
        job -> {
          cache.join().close();
          closed.complete(Thread.currentThread());
        };
    CompletableFuture<CodeObject> compiling = build(builder(1)).getOrCompileAsync(X, GFX90A);
    assertThat(closed).succeedsWithin(AT_ONCE);
    assertThat(compiling).satisfies(future -> future.handle((code, failure) -> 0).get(20, SECONDS));
    awaitCompile(closed.join());
    // A collection that starts now would outlive the manager.
    assertThat(root().resolve("collected")).doesNotExist();
  }

  @Test
  void callersExecutor_completesFutures() {
    toolchain.gate = new CountDownLatch(1);
    ExecutorService executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "mine"));
    try (CacheManager cache = builder(1).target(GFX90A).executor(executor).build()) {
      List<CompletableFuture<String>> threads = new ArrayList<>();
      for (CompletableFuture<?> future :
          List.of(
              cache.getOrCompileAsync(X),
              cache.getOrCompileAsync(X, GFX90A),
              cache.resolveAsync(X, GFX90A),
              cache.deviceRequests().resolveAsync(X, GFX90A))) {
        threads.add(future.thenApply(result -> Thread.currentThread().getName()));
      }
      toolchain.gate.countDown();
      for (CompletableFuture<String> thread : threads) {
        assertThat(thread).succeedsWithin(SOON).isEqualTo("mine");
      }
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void executorThatRefuses_failsNothing() {
    checkOddExecutor(
        task -> {
          throw new RejectedExecutionException("saturated");
        });
    checkOddExecutor(
        task -> {
          throw new NoClassDefFoundError("broken");
        });
    // Nothing is told twice.
    checkOddExecutor(
        task -> {
          task.run();
          throw new RejectedExecutionException("too late");
        });
  }

  private void checkOddExecutor(Executor executor) {
    try (CacheManager cache = builder(1).recompiling().executor(executor).build()) {
      assertThat(cache.getOrCompile(X, GFX90A)).isEqualTo(CODE);
      assertThat(cache.getOrCompileAsync(Y, GFX90A)).succeedsWithin(SOON).isEqualTo(CODE);
    }
  }

  @Test
  void executorThatIsSaturated_holdsUpNoBlockingCall() throws InterruptedException {
    LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    CompletableFuture<CodeObject> asked;
    try (CacheManager cache = builder(1).executor(waiting::add).build()) {
      asked = cache.getOrCompileAsync(X, GFX90A);
      assertThat(cache.getOrCompile(X, GFX90A)).isEqualTo(CODE);
      assertThat(cache.getOrCompile(Y, GFX90A)).isEqualTo(CODE);
      assertThat(asked).isNotDone();
    }
    // A thread of kcache's own hands tasks to the executor, perhaps later than the above returns.
    while (!asked.isDone()) {
      Runnable task = waiting.poll(SOON.toSeconds(), TimeUnit.SECONDS);
      assertThat(task).isNotNull();
      task.run();
    }
    assertThat(asked).succeedsWithin(SOON).isEqualTo(CODE);
  }

  /** As one does whose queue is full and that has the submitter wait. */
  @Test
  void executorThatNeverReturns_holdsUpNoBlockingCall() {
    CountDownLatch never = new CountDownLatch(1);
    try (CacheManager cache = builder(1).executor(task -> FakeToolchain.await(never)).build()) {
      CompletableFuture<CodeObject> asked = cache.getOrCompileAsync(X, GFX90A);
      assertThat(cache.getOrCompile(X, GFX90A)).isEqualTo(CODE);
      assertThat(cache.getOrCompile(Y, GFX90A)).isEqualTo(CODE);
      assertThat(asked).isNotDone();
    } finally {
      never.countDown();
    }
  }

  @Test
  void hitInMemory_isCompleteAtOnce() {
    try (CacheManager cache = builder(1).target(GFX90A).executor(task -> {}).build()) {
      for (int i = 0; i < 3; i++) {
        cache.getOrCompile(X);
        cache.getOrCompile(X, GFX90A);
      }
      assertThat(cache.getOrCompileAsync(X)).isCompletedWithValue(CODE);
      assertThat(cache.getOrCompileAsync(X, GFX90A)).isCompletedWithValue(CODE);
      assertThat(cache.resolveAsync(source("x"), GFX90A)).isCompleted();
    }
  }
}
