// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.cache.callback.CallerFailures;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KcacheException;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilationTimeoutException;
import dev.kcache.toolchain.InvalidCrateException;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Callers that wait for one compile that fails. */
class CallerFailuresTest extends CacheTestBase {
  @Test
  void threads_eachGetAnExceptionOfTheirOwn() throws Exception {
    List<CompilationException> failures =
        failuresOfOneCompile(
            cache ->
                catchThrowableOfType(
                    CompilationException.class, () -> cache.getOrCompile(SOURCE, GFX90A)));

    assertThat(failures)
        .allSatisfy(
            failure ->
                assertThat(failure.getStackTrace())
                    .extracting(StackTraceElement::getClassName)
                    .contains(CallerFailuresTest.class.getName()));
  }

  @Test
  void futures_eachFailWithAnExceptionOfTheirOwn() throws Exception {
    failuresOfOneCompile(
        cache -> {
          CompletableFuture<CodeObject> future = cache.getOrCompileAsync(SOURCE, GFX90A);
          return (CompilationException)
              catchThrowableOfType(CompletionException.class, future::join).getCause();
        });
  }

  private interface Caller {
    CompilationException fail(CacheManager cache);
  }

  private List<CompilationException> failuresOfOneCompile(Caller caller) throws Exception {
    toolchain.broken = true;
    toolchain.gate = new CountDownLatch(1);
    try (CacheManager cache = manager()) {
      FutureTask<CompilationException> first = started(() -> caller.fail(cache));
      FakeToolchain.await(toolchain.started);
      FutureTask<CompilationException> second = started(() -> caller.fail(cache));
      toolchain.gate.countDown();
      List<CompilationException> failures = List.of(first.get(), second.get());

      assertThat(toolchain.jobs).hasSize(1);
      assertThat(failures.get(0)).isNotSameAs(failures.get(1));
      assertThat(failures.get(0).getCause())
          .isInstanceOf(CompilationException.class)
          .isSameAs(failures.get(1).getCause())
          .hasNoCause();
      assertThat(failures)
          .allSatisfy(failure -> assertThat(failure).hasMessage("k.hip: broken on purpose"));
      return failures;
    }
  }

  private static <T> FutureTask<T> started(Supplier<T> call) {
    FutureTask<T> task = new FutureTask<>(call::get);
    new Thread(task).start();
    return task;
  }

  static Stream<RuntimeException> known() {
    List<String> command = List.of("hipcc", "k.hip");
    return Stream.of(
        new CompilationException("k.hip", "/src/k.hip:3: error", command, 1, "log"),
        new CompilationTimeoutException("k.hip", "slow", command, "log", Duration.ofSeconds(3)),
        new InvalidCrateException("k", "Cargo.lock lacks it", command, 101, "log"),
        new InvalidKernelSourceException("k.hip", "no such file"),
        new ToolchainNotFoundException("no compiler"),
        new TargetDetectionException("no target"),
        new CacheMissException("sealed"),
        new IllegalStateException("closed"),
        new IllegalArgumentException("KCACHE_ARCH"));
  }

  @ParameterizedTest
  @MethodSource("known")
  void copy_hasTypeAndDataAndTheOtherAsItsCause(RuntimeException shared) {
    RuntimeException own = CallerFailures.own(shared);

    assertThat(own).isNotSameAs(shared).hasSameClassAs(shared).hasMessage(shared.getMessage());
    // AssertJ compares types of the JDK by equals.
    if (shared instanceof KcacheException) {
      assertThat(own)
          .usingRecursiveComparison()
          .ignoringFields("cause", "stackTrace", "suppressedExceptions")
          .isEqualTo(shared);
    }
    assertThat(own).cause().isSameAs(shared);
  }

  @Test
  void copy_ofAnUncheckedIoException_sharesItsCause() {
    UncheckedIOException shared = new UncheckedIOException("no room", new IOException("disk"));

    assertThat(CallerFailures.own(shared))
        .isNotSameAs(shared)
        .hasMessage("no room")
        .cause()
        .isSameAs(shared.getCause());
  }

  @Test
  void exceptionOfAToolchainsOwnType_isShared() {
    RuntimeException shared = new UnsupportedOperationException();

    assertThat(CallerFailures.own(shared)).isSameAs(shared);
  }
}
