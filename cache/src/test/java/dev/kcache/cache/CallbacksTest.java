// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Callbacks of futures and listeners may do what any caller does, on whatever executor. */
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

  private static CacheListener onStart(Consumer<String> call) {
    return listener(call, succeeded -> {});
  }

  private static CacheListener listener(Consumer<String> started, Consumer<Boolean> finished) {
    return new CacheListener() {
      @Override
      public void compileStarted(String source, TargetId target) {
        started.accept(source + " for " + target);
      }

      @Override
      public void compileFinished(
          String source, TargetId target, Duration elapsed, boolean succeeded) {
        finished.accept(succeeded);
      }
    };
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
  void listenerThatCallsTheCache_onOneWorker_ends() {
    CompletableFuture<CodeObject> other = new CompletableFuture<>();
    CacheListener listener =
        onStart(
            source -> {
              if (source.startsWith("x.hip")) {
                other.complete(compile(Y));
              }
            });
    try (CacheManager cache = build(builder(1).listener(listener))) {
      assertThat(cache.getOrCompileAsync(X, GFX90A)).succeedsWithin(SOON).isEqualTo(CODE);
      assertThat(other).succeedsWithin(SOON).isEqualTo(CODE);
    }
  }

  /** Also on the thread that calls them. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void listenersThatWaitForEachOther_end(boolean onTheCallingThread) {
    CacheManagerBuilder builder = builder(2);
    if (onTheCallingThread) {
      builder.executor(Runnable::run);
    }
    CompletableFuture<CodeObject> x = new CompletableFuture<>();
    CompletableFuture<CodeObject> y = new CompletableFuture<>();
    CacheListener listener =
        onStart(
            source -> {
              if (source.startsWith("x.hip")) {
                y.complete(compile(Y));
              } else {
                x.complete(compile(X));
              }
            });
    try (CacheManager cache = build(builder.listener(listener))) {
      CompletableFuture<CodeObject> first = cache.getOrCompileAsync(X, GFX90A);
      assertThat(cache.getOrCompileAsync(Y, GFX90A)).succeedsWithin(SOON).isEqualTo(CODE);
      assertThat(first).succeedsWithin(SOON).isEqualTo(CODE);
      assertThat(x).succeedsWithin(SOON).isEqualTo(CODE);
      assertThat(y).succeedsWithin(SOON).isEqualTo(CODE);
    }
  }

  @Test
  void listenerThatWaitsForItsOwnCompile_ends() {
    CompletableFuture<CodeObject> own = new CompletableFuture<>();
    CacheListener listener = onStart(source -> own.complete(compile(X)));
    try (CacheManager cache = build(builder(1).executor(Runnable::run).listener(listener))) {
      assertThat(cache.getOrCompileAsync(X, GFX90A)).succeedsWithin(SOON).isEqualTo(CODE);
      assertThat(own).succeedsWithin(SOON).isEqualTo(CODE);
    }
  }

  /** The listener is still busy with the first event when the compiler has failed, then ended. */
  @Test
  void eventsOfARequest_comeOneAfterTheOther() throws Exception {
    LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    CountDownLatch busy = new CountDownLatch(1);
    CacheListener listener =
        listener(
            source -> {
              heard.add("started " + source);
              FakeToolchain.await(busy);
              heard.add("has started");
            },
            succeeded -> heard.add("finished " + succeeded));
    try (CacheManager cache =
        builder(2).recompile(true).memoryLimit(0).listener(listener).build()) {
      cache.getOrCompile(X, GFX90A);
      toolchain.broken = true;
      assertThatThrownBy(() -> cache.getOrCompile(X, GFX90A))
          .isInstanceOf(CompilationException.class);
      busy.countDown();
      List<String> all = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        all.add(heard.poll(20, SECONDS));
      }
      assertThat(all)
          .containsExactly(
              "started x.hip for gfx90a",
              "has started",
              "finished true",
              "started x.hip for gfx90a",
              "has started",
              "finished false");
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
  void closeInAListener_returnsAtOnceAndEndsTheCompile() {
    toolchain.gate = new CountDownLatch(1);
    CompletableFuture<Void> closed = new CompletableFuture<>();
    CacheListener listener =
        onStart(
            source -> {
              cache.join().close();
              closed.complete(null);
            });
    CompletableFuture<CodeObject> compiling =
        build(builder(1).listener(listener)).getOrCompileAsync(X, GFX90A);
    assertThat(closed).succeedsWithin(AT_ONCE);
    assertThat(compiling)
        .failsWithin(AT_ONCE)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(IllegalStateException.class);
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
    // It could not wait for itself, and may still be writing to the directory.
    closed.join().join(20_000);
    assertThat(closed.join().isAlive()).isFalse();
    // Waits for the lock of that compile.
    cache.join().close();
    // A collection that starts now would outlive the manager.
    assertThat(root().resolve("collected")).doesNotExist();
  }

  @Test
  void listenerThatThrowsAnError_failsNothingAndIsToldOnce() {
    CountDownLatch thrown = new CountDownLatch(4);
    CacheListener listener =
        listener(
            source -> {
              thrown.countDown();
              throw new AssertionError("a listener's own problem");
            },
            succeeded -> {
              thrown.countDown();
              throw new NoClassDefFoundError("a listener's own problem");
            });
    try (Warnings warnings = Warnings.of(CompileEvents.class);
        CacheManager cache = builder(1).listener(listener).build()) {
      assertThat(cache.getOrCompile(X, GFX90A)).isEqualTo(CODE);
      assertThat(cache.getOrCompile(Y, GFX90A)).isEqualTo(CODE);
      FakeToolchain.await(thrown);
      assertThat(warnings.lines()).hasSize(1);
    }
  }

  @Test
  void callersExecutor_completesFuturesAndCallsListeners() {
    toolchain.gate = new CountDownLatch(1);
    ExecutorService executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "mine"));
    LinkedBlockingQueue<String> listening = new LinkedBlockingQueue<>();
    CacheListener listener = onStart(source -> listening.add(Thread.currentThread().getName()));
    try (CacheManager cache =
        builder(1).target(GFX90A).executor(executor).listener(listener).build()) {
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
      assertThat(listening.poll(20, SECONDS)).isEqualTo("mine");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
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
    CopyOnWriteArrayList<String> heard = new CopyOnWriteArrayList<>();
    CountDownLatch finished = new CountDownLatch(2);
    CacheListener listener = listener(heard::add, succeeded -> finished.countDown());
    try (CacheManager cache =
        builder(1).recompile(true).executor(executor).listener(listener).build()) {
      assertThat(cache.getOrCompile(X, GFX90A)).isEqualTo(CODE);
      assertThat(cache.getOrCompileAsync(Y, GFX90A)).succeedsWithin(SOON).isEqualTo(CODE);
      FakeToolchain.await(finished);
      assertThat(heard).containsExactlyInAnyOrder("x.hip for gfx90a", "y.hip for gfx90a");
    }
  }

  @Test
  void executorThatIsSaturated_holdsUpNoBlockingCall() {
    ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    CompletableFuture<CodeObject> asked;
    try (CacheManager cache =
        builder(1).executor(waiting::add).listener(onStart(source -> {})).build()) {
      asked = cache.getOrCompileAsync(X, GFX90A);
      assertThat(cache.getOrCompile(X, GFX90A)).isEqualTo(CODE);
      assertThat(cache.getOrCompile(Y, GFX90A)).isEqualTo(CODE);
      assertThat(asked).isNotDone();
    }
    for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
      task.run();
    }
    assertThat(asked).succeedsWithin(SOON).isEqualTo(CODE);
  }

  /** As one does whose queue is full and that has the submitter wait. */
  @Test
  void executorThatNeverReturns_holdsUpNoBlockingCall() {
    CountDownLatch never = new CountDownLatch(1);
    try (CacheManager cache =
        builder(1)
            .executor(task -> FakeToolchain.await(never))
            .listener(onStart(source -> {}))
            .build()) {
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
