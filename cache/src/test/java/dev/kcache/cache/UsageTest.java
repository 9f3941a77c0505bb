// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.CacheUsage.Day;
import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.CompilationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted over managers and processes, and when it is written down. */
@Timeout(60)
class UsageTest extends CacheTestBase {
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
  void requests_areOfTheDayOnWhichTheyAreWrittenDown() throws IOException {
    fill(SOURCE);
    Instant day = Instant.parse("2001-11-27T23:59:59Z");
    AtomicReference<Instant> now = new AtomicReference<>(day);
    Optional<DiskStore> own = Optional.of(DiskStore.open(root(), Access.PRIVATE));
    try (UsageRecorder recorder = new UsageRecorder(own, now::get)) {
      UsageRecorder.Row row = recorder.row(GFX90A, "k.hip");
      row.memoryHit();
      row.diskHit(Duration.ZERO);
      recorder.write();
      now.set(day.plusSeconds(1));
      row.missed();
      recorder.write();
      row.compiled(Duration.ofSeconds(1), true);
      // A compile is no request: the day of the last write has none.
      now.set(day.plus(Duration.ofDays(9)));
    }

    try (CacheManager cache = manager()) {
      // What fill() did is of the real day.
      assertThat(cache.maintenance().usage().days())
          .contains(
              new Day(LocalDate.parse("2001-11-27"), 2, 0),
              new Day(LocalDate.parse("2001-11-28"), 0, 1))
          .noneMatch(each -> each.date().equals(LocalDate.parse("2001-12-06")));
    }
  }

  @Test
  void requestsOfToday_areInTheSum() {
    LocalDate before = LocalDate.now(ZoneOffset.UTC);
    try (CacheManager cache = manager()) {
      useThreeTimes(cache);
    }

    try (CacheManager cache = manager()) {
      List<Day> days = cache.maintenance().usage().days();
      assertThat(days).hasSize(1);
      assertThat(days.get(0).hits()).isEqualTo(2);
      assertThat(days.get(0).misses()).isEqualTo(1);
      assertThat(days.get(0).date()).isBetween(before, LocalDate.now(ZoneOffset.UTC));
    }
  }

  @Test
  void failure_isCounted() throws IOException {
    toolchain.broken = true;
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(CompilationException.class);
      Files.createDirectories(root());
      Counts total = cache.maintenance().usage().total();

      assertThat(total.failedCompiles()).isEqualTo(1);
      assertThat(total.compiles()).isZero();
    }
  }

  @Test
  void managerThatDidNothing_writesNothing() throws IOException {
    fill(SOURCE);
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

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void jvmThatEndsWithoutClosing_writesAtItsEnd(boolean terminated) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(Jvm.command(UsageMain.class, List.of(), terminated ? "wait" : "end"));
    builder.environment().clear();
    builder.environment().putAll(environment());
    Process child = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    if (terminated) {
      assertThat(child.inputReader().readLine()).isEqualTo("waiting");
      child.destroy();
    }

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
        CacheManager waiting = builder().toolchain(idle).build()) {
      CompletableFuture<CodeObject> first = compiling.getOrCompileAsync(SOURCE, GFX90A);
      toolchain.started.await();
      CompletableFuture<CodeObject> second = waiting.getOrCompileAsync(SOURCE, GFX90A);
      CompletableFuture<CacheResult> third = waiting.resolveAsync(SOURCE, GFX90A);
      toolchain.gate.countDown();
      CompletableFuture.allOf(first, second, third).join();
      // Of the two that wait, one may come when the other has brought the result into memory.
      assertThat(third.join().origin()).isNotEqualTo(CacheResult.Origin.COMPILED);
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
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      useThreeTimes(cache);
      Counts total = cache.maintenance().usage().total();
      assertThat(total.misses()).isEqualTo(2);
      assertThat(total.memoryHits()).isEqualTo(2);
      assertThat(total.diskHits()).isZero();
    }
  }

  private void useThreeTimes(CacheManager cache) {
    for (int i = 0; i < 3; i++) {
      cache.getOrCompile(SOURCE, GFX90A);
    }
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(root().resolve("usage"))) {
      return files.count();
    }
  }
}
