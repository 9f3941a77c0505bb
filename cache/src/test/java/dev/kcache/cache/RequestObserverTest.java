// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
class RequestObserverTest extends CacheTestBase {
  private static final ThreadLocal<String> CONTEXT = ThreadLocal.withInitial(() -> "none");

  private final Recorder recorder = new Recorder();

  /** Writes down what it observes, with the context that it is called in. */
  private static final class Recorder implements RequestObserver {
    final List<String> lines = new CopyOnWriteArrayList<>();
    final AtomicInteger contexts = new AtomicInteger();
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
    public Compile compiling(String source, TargetId target, ToolchainLabel label) {
      String begin = "%s: %s %s %s".formatted(CONTEXT.get(), source, target, label);
      Thread thread = Thread.currentThread();
      begun.countDown();
      return new Compile() {
        @Override
        public void succeeded(CacheResult result) {
          end(result.origin().toString());
        }

        @Override
        public void failed(Throwable failure) {
          end(failure.getMessage());
        }

        private void end(String outcome) {
          assertThat(Thread.currentThread()).isEqualTo(thread);
          lines.add(begin + " " + outcome);
        }
      };
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
  void compile_isObservedInTheContextOfItsCaller(Way way) {
    CONTEXT.set("caller");
    try (CacheManager cache = builder().observer(recorder).build()) {
      way.request(cache);

      assertThat(recorder.lines).containsExactly("caller: k.hip gfx90a 5.2 COMPILED");
    } finally {
      CONTEXT.remove();
    }
  }

  @Test
  void compileThatSeveralWaitFor_isObservedOnce() {
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager cache = builder().observer(recorder).parallelism(4).build()) {
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
  void failedCompile_isObservedOnceWhileItIsRemembered() {
    toolchain.broken = true;
    try (CacheManager cache = builder().observer(recorder).build()) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
            .isInstanceOf(CompilationException.class);
      }

      assertThat(recorder.lines).containsExactly("none: k.hip gfx90a 5.2 k.hip: broken on purpose");
    }
  }

  @Test
  void hits_areNotObserved() {
    fill(SOURCE);
    try (CacheManager cache = builder().observer(recorder).build()) {
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
  void resultOfAnother_isObservedAsAHit() {
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager other = manager();
        CacheManager cache = builder().observer(recorder).build()) {
      CompletableFuture<?> compiled = other.getOrCompileAsync(SOURCE, GFX90A);
      FakeToolchain.await(toolchain.started);
      CompletableFuture<?> waiting = cache.getOrCompileAsync(SOURCE, GFX90A);
      FakeToolchain.await(recorder.begun);
      toolchain.gate.countDown();
      CompletableFuture.allOf(compiled, waiting).join();

      assertThat(recorder.lines).containsExactly("none: k.hip gfx90a 5.2 DISK");
    }
  }

  /** What an observer may do wrong. */
  private enum Fault {
    NO_CONTEXT {
      @Override
      RequestObserver observer() {
        return new RequestObserver() {
          @Override
          public Executor context() {
            throw new AssertionError("no context");
          }
        };
      }
    },
    TASK_DROPPED {
      @Override
      RequestObserver observer() {
        return new RequestObserver() {
          @Override
          public Executor context() {
            return task -> {
              throw new AssertionError("dropped");
            };
          }
        };
      }
    },
    NO_BEGINNING {
      @Override
      RequestObserver observer() {
        return new RequestObserver() {
          @Override
          public Compile compiling(String source, TargetId target, ToolchainLabel label) {
            throw new NoClassDefFoundError("tracing");
          }
        };
      }
    },
    NO_END {
      @Override
      RequestObserver observer() {
        return new RequestObserver() {
          @Override
          public Compile compiling(String source, TargetId target, ToolchainLabel label) {
            return new Compile() {
              @Override
              public void succeeded(CacheResult result) {
                throw new IllegalStateException("succeeded");
              }

              @Override
              public void failed(Throwable failure) {
                throw new IllegalStateException("failed");
              }
            };
          }
        };
      }
    };

    abstract RequestObserver observer();
  }

  @ParameterizedTest
  @EnumSource
  void observerThatThrows_changesNoResultAndIsToldOnce(Fault fault) {
    try (Warnings warnings = Warnings.of(GuardedObserver.class);
        CacheManager cache = builder().observer(fault.observer()).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
      toolchain.broken = true;
      assertThatThrownBy(() -> cache.getOrCompileAsync(OTHER, GFX90A).join())
          .hasCauseInstanceOf(CompilationException.class);

      assertThat(warnings.lines())
          .containsExactly("a request observer failed; further failures are not reported");
    }
  }
}
