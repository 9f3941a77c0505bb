// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.InstrumentedCaches;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.torture.KnownCompiler.Kernel;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a program may do with a cache, in random order: hits in memory and on disk, misses, edits,
 * compiles that are cancelled or whose callers are interrupted, evictions, checks, managers that
 * come and go, and a file server's clock that is set. Safe for use by any number of threads.
 */
final class SoakLoad implements AutoCloseable {
  /** Room for a few code objects, so that memory has misses too. */
  private static final long MEMORY_LIMIT = 40_000;

  private static final List<Duration> STEPS =
      List.of(
          Duration.ZERO,
          Duration.ofHours(2),
          Duration.ofHours(-2),
          Duration.ofDays(3),
          Duration.ofDays(-3));

  private final Path root;
  private final OutputStream served;
  private final SteppingFileOperations files = new SteppingFileOperations();
  private final Set<String> told = ConcurrentHashMap.newKeySet();
  private final CacheManager cache;
  private final CacheManager compiling;
  private final LongAdder operations = new LongAdder();

  SoakLoad(Path root, Path served) throws IOException {
    this.root = root;
    this.served = new FileOutputStream(served.toFile(), true);
    cache = builder().build();
    compiling = builder().recompiling().build();
  }

  private CacheManagerBuilder builder() {
    return InstrumentedCaches.builder(files)
        .environment(Map.of("KCACHE_DIR", root.toString()))
        .toolchain(new KnownCompiler())
        .maxSize(KillWorker.LIMIT)
        .memoryLimit(MEMORY_LIMIT);
  }

  /** Returns how much was done. */
  long operations() {
    return operations.sum();
  }

  /** Sets the clock of the file server to another time. */
  void stepClock(Random random) {
    files.set(STEPS.get(random.nextInt(STEPS.size())));
  }

  /** Does one thing. */
  void work(Random random) throws Exception {
    Kernel kernel = Kernel.any(random);
    TargetId target = KnownCompiler.anyTarget(random);
    int choice = random.nextInt(100);
    if (choice < 60) {
      tell(kernel, cache.getOrCompile(kernel.source(), target));
    } else if (choice < 70) {
      tell(kernel, compiling.getOrCompile(kernel.source(), target));
    } else if (choice < 78) {
      askAndLeave(kernel, target, random.nextBoolean());
    } else if (choice < 84) {
      interrupted(() -> cache.getOrCompile(kernel.source(), target));
    } else if (choice < 91) {
      tellIfPresent(kernel, target);
    } else if (choice < 94) {
      var unused = cache.maintenance().collect();
    } else if (choice < 96) {
      verify();
    } else if (choice < 97) {
      assertThat(cache.maintenance().usage()).isNotNull();
      assertThat(cache.maintenance().entries()).isNotNull();
    } else {
      try (CacheManager another = builder().build()) {
        tell(kernel, another.getOrCompile(kernel.source(), target));
      }
    }
    operations.increment();
  }

  private void askAndLeave(Kernel kernel, TargetId target, boolean cancel) throws IOException {
    CompletableFuture<CodeObject> asked = cache.getOrCompileAsync(kernel.source(), target);
    if (cancel) {
      asked.cancel(true);
    } else {
      tell(kernel, asked.join());
    }
  }

  private static void interrupted(Callable<CodeObject> request) throws Exception {
    Thread.currentThread().interrupt();
    try {
      request.call();
    } catch (CancellationException e) {
      assertThat(e).hasMessageContaining("interrupted");
    } finally {
      // A hit leaves the flag alone.
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  private void tellIfPresent(Kernel kernel, TargetId target) throws IOException {
    var code = cache.getIfPresent(kernel.source(), target);
    if (code.isPresent()) {
      tell(kernel, code.get());
    }
  }

  private void verify() {
    assertThat(cache.maintenance().verify((directory, done, total) -> {}).findings())
        .noneMatch(finding -> finding.kind() == Finding.Kind.DAMAGED)
        .noneMatch(finding -> finding.kind() == Finding.Kind.PERMISSIONS);
  }

  private void tell(Kernel kernel, CodeObject code) throws IOException {
    String line = kernel.served(code);
    if (told.add(line)) {
      served.write(line.getBytes(UTF_8));
    }
  }

  @Override
  public void close() throws IOException {
    cache.close();
    compiling.close();
    served.close();
  }
}
