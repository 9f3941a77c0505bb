// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is counted over managers and processes, and when it is written down. */
@Timeout(60)
class UsageTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");

  @TempDir Path temp;
  private final FakeToolchain toolchain = new FakeToolchain();
  private final KernelSource source = LayerReaderMain.SOURCE;

  @Test
  void managers_oneAfterTheOther_areSummedUp() {
    try (CacheManager cache = manager()) {
      useThreeTimes(cache);
    }
    try (CacheManager cache = manager()) {
      useThreeTimes(cache);
      CacheUsage usage = cache.maintenance().usage();
      assertThat(usage.since()).isPresent();
      assertThat(usage.kernels()).hasSize(1);
      assertThat(usage.kernels().get(0).target()).contains(GFX90A);
      assertThat(usage.kernels().get(0).source()).isEqualTo("k.hip");
      Counts counts = usage.kernels().get(0).counts();
      assertThat(counts.memoryHits()).isEqualTo(4);
      assertThat(counts.diskHits()).isEqualTo(1);
      assertThat(counts.misses()).isEqualTo(1);
      assertThat(counts.compiles()).isEqualTo(1);
      assertThat(counts.compileTime()).isPositive();
      assertThat(counts.savedTime()).isPositive();
    }
    try (CacheManager cache = manager()) {
      assertThat(cache.maintenance().usage().total().memoryHits()).isEqualTo(4);
    }
  }

  @Test
  void failure_isCounted() {
    toolchain.broken = true;
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(source, GFX90A))
          .isInstanceOf(CompilationException.class);
      Files.createDirectories(temp.resolve("cache"));

      Counts total = cache.maintenance().usage().total();

      assertThat(total.failedCompiles()).isEqualTo(1);
      assertThat(total.compiles()).isZero();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void managerThatDidNothing_writesNothing() {
    useOnce();
    long before = files();
    manager().close();

    assertThat(files()).isEqualTo(before);
  }

  @Test
  void closedTwice_isCountedOnce() {
    CacheManager first = manager();
    useThreeTimes(first);
    first.close();
    first.close();

    try (CacheManager cache = manager()) {
      assertThat(cache.maintenance().usage().total().memoryHits()).isEqualTo(2);
    }
  }

  @Test
  void disabledCache_writesNothing() throws IOException {
    Path root = Files.createDirectory(temp.resolve("cache"));
    try (CacheManager cache =
        builder(Map.of("KCACHE_DIR", root.toString(), "KCACHE_DISABLE", "1")).build()) {
      useThreeTimes(cache);
      assertThat(cache.maintenance().usage())
          .isEqualTo(new CacheUsage(Optional.empty(), List.of()));
    }

    assertThat(root).isEmptyDirectory();
  }

  @Test
  void otherDirectoryNamed_isCountedInTheOwn() throws IOException {
    Files.createDirectory(temp.resolve("cache"));
    Path layer = temp.resolve("layer");
    try (CacheManager cache = builder(environment()).directory(layer).build()) {
      useThreeTimes(cache);
    }

    assertThat(layer.resolve("usage")).doesNotExist();
    assertThat(files()).isEqualTo(1);
  }

  @Test
  void jvmThatEndsWithoutClosing_writesAtItsEnd() throws Exception {
    Process child = start();

    assertThat(child.waitFor(50, TimeUnit.SECONDS)).isTrue();
    assertThat(child.exitValue()).isZero();
    try (CacheManager cache = manager()) {
      assertThat(cache.maintenance().usage().total().memoryHits()).isEqualTo(2);
    }
  }

  @Test
  void jvmThatIsTerminated_writesAtItsEnd() throws Exception {
    Process child = start("wait");
    assertThat(child.inputReader().readLine()).isEqualTo("waiting");

    child.destroy();

    assertThat(child.waitFor(50, TimeUnit.SECONDS)).isTrue();
    try (CacheManager cache = manager()) {
      assertThat(cache.maintenance().usage().total().memoryHits()).isEqualTo(2);
    }
  }

  @Test
  void waitForTheCompileOfAnotherManager_isAHitAndNoMiss() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    FakeToolchain idle = new FakeToolchain();
    try (CacheManager compiling = manager();
        CacheManager waiting =
            CacheManager.builder().environment(environment()).toolchain(idle).build()) {
      CompletableFuture<CodeObject> first = compiling.getOrCompileAsync(source, GFX90A);
      toolchain.started.await();
      CompletableFuture<CodeObject> second = waiting.getOrCompileAsync(source, GFX90A);
      CompletableFuture<CodeObject> third = waiting.getOrCompileAsync(source, GFX90A);
      toolchain.gate.countDown();
      CompletableFuture.allOf(first, second, third).join();
    }

    assertThat(idle.jobs).isEmpty();
    try (CacheManager cache = manager()) {
      Counts total = cache.maintenance().usage().total();
      assertThat(total.misses()).isEqualTo(1);
      assertThat(total.memoryHits() + total.diskHits()).isEqualTo(2);
    }
  }

  @Test
  void requests_areEachCountedOnce() {
    try (CacheManager cache = manager()) {
      assertThat(cache.getIfPresent(source, GFX90A)).isEmpty();
      useThreeTimes(cache);
      Counts total = cache.maintenance().usage().total();
      assertThat(total.misses()).isEqualTo(2);
      assertThat(total.memoryHits()).isEqualTo(2);
      assertThat(total.diskHits()).isZero();
    }
  }

  @Test
  void reset_beginsAnew() {
    useOnce();
    try (CacheManager cache = manager()) {
      cache.maintenance().resetUsage();
      assertThat(cache.maintenance().usage().kernels()).isEmpty();
      cache.getOrCompile(source, GFX90A);
      assertThat(cache.maintenance().usage().total())
          .usingRecursiveComparison()
          .ignoringFields("savedTime")
          .isEqualTo(new Counts(0, 1, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO));
    }
  }

  private void useOnce() {
    try (CacheManager cache = manager()) {
      cache.getOrCompile(source, GFX90A);
    }
  }

  private void useThreeTimes(CacheManager cache) {
    for (int i = 0; i < 3; i++) {
      cache.getOrCompile(source, GFX90A);
    }
  }

  private long files() {
    try (Stream<Path> files = Files.list(temp.resolve("cache/usage"))) {
      return files.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Map<String, String> environment() {
    return Map.of("KCACHE_DIR", temp.resolve("cache").toString());
  }

  private CacheManagerBuilder builder(Map<String, String> environment) {
    return CacheManager.builder().environment(environment).toolchain(toolchain);
  }

  private CacheManager manager() {
    return builder(environment()).build();
  }

  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    command.add(UsageMain.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().clear();
    builder.environment().putAll(environment());
    return builder.start();
  }
}
