// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheEvent.CompileFailed;
import dev.kcache.cache.CacheEvent.CompileFinished;
import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.toolchain.CompilationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CacheListenerTest extends CacheTestBase {
  private static final ThreadLocal<String> CONTEXT = ThreadLocal.withInitial(() -> "none");

  private final Recorder recorder = new Recorder();

  /** Writes down the compiles that it hears of, with the context that it is called in. */
  private static final class Recorder implements CacheListener {
    final List<String> lines = new CopyOnWriteArrayList<>();
    final AtomicInteger contexts = new AtomicInteger();
    final Map<CompileStarted, Thread> threads = new ConcurrentHashMap<>();
    final CountDownLatch begun = new CountDownLatch(1);

    @Override
    public Executor context() {
      contexts.incrementAndGet();
      String captured = CONTEXT.get();
      return task -> {
        String before = CONTEXT.get();
        CONTEXT.set(captured);
        task.run();
        CONTEXT.set(before);
      };
    }

    @Override
    public void onEvent(CacheEvent event) {
      if (event instanceof CompileStarted started) {
        threads.put(started, Thread.currentThread());
        begun.countDown();
      } else if (event instanceof CompileFinished finished) {
        end(finished.started(), finished.outcome().toString());
      } else if (event instanceof CompileFailed failed) {
        end(failed.started(), failed.failure().getMessage());
      }
    }

    private void end(CompileStarted started, String outcome) {
      assertThat(threads).containsEntry(started, Thread.currentThread());
      lines.add(
          "%s: %s %s %s %s"
              .formatted(
                  CONTEXT.get(), started.source(), started.target(), started.label(), outcome));
    }
  }

  /** How a request is made. */
  private enum Way {
    BLOCKING {
      @Override
      void request(CacheManager cache) {
        cache.getOrCompile(SOURCE, GFX90A);
      }
    },
    ASYNC {
      @Override
      void request(CacheManager cache) {
        cache.getOrCompileAsync(SOURCE, GFX90A).join();
      }
    },
    ASYNC_FOR_A_DEVICE {
      @Override
      void request(CacheManager cache) {
        cache.deviceRequests().resolveAsync(SOURCE, GFX90A).join();
      }
    };

    abstract void request(CacheManager cache);
  }

  @ParameterizedTest
  @EnumSource
  void compile_isToldInTheContextOfItsCaller(Way way) {
    CONTEXT.set("caller");
    try (CacheManager cache = builder().listener(recorder).build()) {
      way.request(cache);

      assertThat(recorder.lines).containsExactly("caller: k.hip gfx90a 5.2 COMPILED");
    } finally {
      CONTEXT.remove();
    }
  }

  @Test
  void compileThatSeveralWaitFor_isToldOnce() {
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager cache = builder().listener(recorder).parallelism(4).build()) {
      List<CompletableFuture<?>> waiting = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        waiting.add(cache.getOrCompileAsync(SOURCE, GFX90A));
      }
      FakeToolchain.await(toolchain.started);
      toolchain.gate.countDown();
      waiting.forEach(CompletableFuture::join);

      assertThat(recorder.lines).hasSize(1);
    }
  }

  @Test
  void failedCompile_isToldOnceWhileItIsRemembered() {
    toolchain.broken = true;
    try (CacheManager cache = builder().listener(recorder).build()) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
            .isInstanceOf(CompilationException.class);
      }

      assertThat(recorder.lines).containsExactly("none: k.hip gfx90a 5.2 k.hip: broken on purpose");
    }
  }

  @Test
  void hits_needNoContext() {
    fill(SOURCE);
    try (CacheManager cache = builder().listener(recorder).build()) {
      for (CacheResult.Origin origin :
          List.of(CacheResult.Origin.DISK, CacheResult.Origin.MEMORY)) {
        assertThat(cache.deviceRequests().resolve(SOURCE, GFX90A).origin()).isEqualTo(origin);
      }
      assertThat(origin(cache, SOURCE)).isEqualTo(CacheResult.Origin.MEMORY);

      assertThat(recorder.lines).isEmpty();
      assertThat(recorder.contexts).hasValue(0);
    }
  }

  /** It began to compile and found that another manager had done so. */
  @Test
  void resultOfAnother_isFound() {
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager other = manager();
        CacheManager cache = builder().listener(recorder).build()) {
      CompletableFuture<?> compiled = other.getOrCompileAsync(SOURCE, GFX90A);
      FakeToolchain.await(toolchain.started);
      CompletableFuture<?> waiting = cache.getOrCompileAsync(SOURCE, GFX90A);
      FakeToolchain.await(recorder.begun);
      toolchain.gate.countDown();
      CompletableFuture.allOf(compiled, waiting).join();

      assertThat(recorder.lines).containsExactly("none: k.hip gfx90a 5.2 FOUND");
    }
  }

  /** What a listener may do wrong. */
  private enum Fault implements CacheListener {
    NO_CONTEXT {
      @Override
      public Executor context() {
        throw new AssertionError("no context");
      }
    },
    TASK_DROPPED {
      @Override
      public Executor context() {
        return task -> {
          throw new AssertionError("dropped");
        };
      }
    },
    NO_EVENT {
      @Override
      public void onEvent(CacheEvent event) {
        throw new NoClassDefFoundError("tracing");
      }
    };

    @Override
    public void onEvent(CacheEvent event) {}
  }

  @ParameterizedTest
  @EnumSource
  void listenerThatThrows_changesNoResultAndIsToldOnce(Fault fault) {
    try (Warnings warnings = Warnings.of(GuardedListener.class);
        CacheManager cache = builder().listener(fault).listener(recorder).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
      toolchain.broken = true;
      assertThatThrownBy(() -> cache.getOrCompileAsync(OTHER, GFX90A).join())
          .hasCauseInstanceOf(CompilationException.class);

      assertThat(recorder.lines).hasSize(2);
      assertThat(warnings.lines())
          .containsExactly("a cache listener failed; further failures are not reported");
    }
  }
}
