// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.standin.Warnings;
import dev.kcache.cache.store.StepHookFileOperations;
import dev.kcache.toolchain.Notices;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever fails below the cache, who asks for a kernel gets it, and is told once. */
@Timeout(120)
class DegradationTest extends CacheTestBase {
  @Override
  CacheManagerBuilder builder(String... variables) {
    return super.builder(variables).memoryLimit(0);
  }

  private CacheManager manager(StepHookFileOperations.Hook hook) {
    CacheManagerBuilder builder = builder();
    builder.files = root -> new StepHookFileOperations(hook);
    return builder.build();
  }

  /** A manager one of whose operations always fails. */
  private CacheManager failing(String failing, Function<String, IOException> failure) {
    return manager(
        (step, operation, path) -> {
          if (operation.equals(failing)) {
            throw failure.apply(path.toString());
          }
        });
  }

  private static void get(CacheManager cache, KernelSource source) {
    assertThat(cache.getOrCompile(source, GFX90A)).isEqualTo(FakeToolchain.fixture(GFX90A));
  }

  /** What file systems over a network, quotas and full disks answer, and where. */
  @ParameterizedTest
  @CsvSource({
    "createDirectory, Read-only file system",
    "createFile, Disk quota exceeded",
    "createFile, Permission denied",
    "write, No space left on device",
    "write half, Disk quota exceeded",
    "force, Input/output error",
    "rename, Device or resource busy",
    "rename, Stale file handle",
    "rename, not atomic",
  })
  void write_failing_costsTheEntryAndOneWarning(String failing, String reason) {
    try (Warnings warnings = Warnings.of(Directories.class);
        CacheManager cache =
            failing(
                failing,
                path ->
                    reason.equals("not atomic")
                        ? new AtomicMoveNotSupportedException(path, null, reason)
                        : new FileSystemException(path, null, reason))) {
      get(cache, SOURCE);
      get(cache, OTHER);
      get(cache, SOURCE);

      assertThat(toolchain.jobs).as("none was kept").hasSize(3);
      assertThat(cache.statistics().notKept()).isEqualTo(3);
      assertThat(cache.statistics().failedCompiles()).isZero();
      assertThat(warnings.lines()).singleElement().asString().contains(reason);
      assertThat(cache.maintenance().entries()).isEmpty();
    }
    try (CacheManager cache = manager()) {
      get(cache, SOURCE);
      assertThat(cache.statistics().notKept()).as("once it works again").isZero();
    }
  }

  /** The file system says that it renamed, and did not: a rename that was lost. */
  @Test
  void rename_thatIsLost_isAMissLater() throws IOException {
    fill(SOURCE);
    deleteAll(file -> file.endsWith(".co"));
    try (CacheManager cache = manager()) {
      get(cache, SOURCE);
      assertThat(cache.statistics().compiles()).isEqualTo(1);
      get(cache, SOURCE);
      assertThat(cache.statistics().diskHits()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"Stale file handle", "Device or resource busy", "Input/output error"})
  void read_failingOnce_isStillAHit(String reason) {
    fill(SOURCE);
    AtomicInteger failures = new AtomicInteger();
    try (CacheManager cache =
        manager(
            (step, operation, path) -> {
              if (operation.equals("read") && failures.getAndIncrement() % 2 == 0) {
                throw new FileSystemException(path.toString(), null, reason);
              }
            })) {
      get(cache, SOURCE);
      assertThat(cache.statistics().diskHits()).isEqualTo(1);
    }
    assertThat(failures).hasPositiveValue();
    assertThat(toolchain.jobs).hasSize(1);
  }

  /** The last as a name that was there a moment ago. */
  @ParameterizedTest
  @CsvSource({"Stale file handle", "Transport endpoint is not connected", "gone"})
  void read_failingAlways_isCompiled(String reason) {
    fill(SOURCE);
    try (CacheManager cache =
        failing(
            "read",
            path ->
                reason.equals("gone")
                    ? new FileNotFoundException(path)
                    : new FileSystemException(path, null, reason))) {
      get(cache, SOURCE);
      get(cache, SOURCE);
      assertThat(cache.statistics().compiles()).isEqualTo(2);
    }
    try (CacheManager cache = manager()) {
      get(cache, SOURCE);
      assertThat(cache.statistics().diskHits()).as("the entry was left alone").isEqualTo(1);
      assertThat(cache.maintenance().quarantined()).isZero();
    }
  }

  @Test
  void locksThatDoNotWork_costNothing() throws IOException {
    Path root = Files.createDirectories(root());
    Files.createDirectory(root.resolve("lock"));
    try (CacheManager cache = manager()) {
      get(cache, SOURCE);
      get(cache, SOURCE);
      assertThat(cache.statistics().compiles()).isEqualTo(1);
      assertThat(cache.statistics().notKept()).isZero();
    }
  }

  @Test
  void directoryThatCannotBeUsed_isToldOnceForAllManagersOfAProcess() throws IOException {
    Files.writeString(root(), "not a directory");
    try (Warnings warnings = Warnings.of(Directories.class)) {
      for (int i = 0; i < 3; i++) {
        try (CacheManager cache = manager()) {
          CacheResult result = cache.resolveAsync(SOURCE, GFX90A).join();
          assertThat(result.codeObject()).isEqualTo(FakeToolchain.fixture(GFX90A));
          assertThat(result.kept()).isFalse();
          assertThat(cache.statistics().notKept()).isEqualTo(1);
        }
      }
      assertThat(warnings.lines()).singleElement().asString().contains(" is not a directory; ");
      assertThat(root()).hasContent("not a directory");
    }
  }

  @Test
  void noPlaceForACache_isToldOnceAndCounted() {
    Notices.clear();
    try (Warnings warnings = Warnings.of(Directories.class);
        CacheManager cache = builder().environment(Map.of()).build()) {
      get(cache, SOURCE);
      get(cache, OTHER);

      assertThat(cache.statistics().notKept()).isEqualTo(2);
      assertThat(warnings.lines()).singleElement().asString().contains("set KCACHE_DIR");
    }
  }

  /** As after the clock was set back: all that is there comes from the future. */
  @Test
  void clockThatGoesBackwards_costsNothing() throws IOException {
    fill(SOURCE);
    FileTime future = FileTime.from(Instant.now().plus(Duration.ofDays(400)));
    try (Stream<Path> files = Files.walk(root())) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, future);
      }
    }
    try (CacheManager cache = manager()) {
      get(cache, SOURCE);
      get(cache, OTHER);
      get(cache, OTHER);

      assertThat(cache.statistics().diskHits()).isEqualTo(2);
      assertThat(cache.statistics().notKept()).isZero();
      assertThat(cache.maintenance().entries()).hasSize(2);
    }
  }

  @Test
  void directoryDeletedAgainAndAgain_harmsNobody() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService threads = Executors.newCachedThreadPool();
    try (CacheManager cache = manager()) {
      Future<?> deleting =
          threads.submit(
              () -> {
                while (!ended.get()) {
                  deleteAll(file -> true);
                }
                return null;
              });
      List<Future<?>> asking = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        asking.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 50; i++) {
                    get(cache, i % 2 == 0 ? SOURCE : OTHER);
                  }
                }));
      }
      for (Future<?> each : asking) {
        each.get();
      }
      ended.set(true);
      deleting.get();
      get(cache, SOURCE);
      get(cache, SOURCE);
      assertThat(cache.statistics().failedCompiles()).isZero();
      assertThat(cache.statistics().diskHits()).as("it is there again").isPositive();
    } finally {
      ended.set(true);
      threads.shutdownNow();
    }
  }

  /** Deletes what others make and delete meanwhile. */
  private void deleteAll(Predicate<String> which) throws IOException {
    List<Path> files = new ArrayList<>();
    Consumer<Path> add = files::add;
    try (Stream<Path> walk = Files.walk(root())) {
      walk.filter(file -> which.test(file.toString())).forEach(add);
    } catch (NoSuchFileException | UncheckedIOException e) {
      // Somebody else was faster.
    }
    for (int i = files.size() - 1; i >= 0; i--) {
      try {
        Files.deleteIfExists(files.get(i));
      } catch (IOException e) {
        // It has something in it again.
      }
    }
  }
}
