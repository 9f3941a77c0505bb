// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Hits in memory for reused sources, beside a bare Caffeine cache of as many code objects with the
 * same weights. Each thread walks over the keys from its own start.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class MemoryHit {
  private static final int KEYS = 64;
  private static final long LIMIT = 256 << 20;

  private final TemporaryDirectory directory = new TemporaryDirectory();
  private final KernelSource[] sources = new KernelSource[KEYS];
  private final String[] keys = new String[KEYS];
  private final CacheManager manager =
      SampleKernel.manager(directory.path())
          .toolchain(new CopyingToolchain())
          .memoryLimit(LIMIT)
          .build();
  private final Cache<String, CodeObject> bare =
      Caffeine.newBuilder()
          .maximumWeight(LIMIT)
          .weigher((String key, CodeObject code) -> code.size())
          .executor(Runnable::run)
          .build();
  private final AtomicInteger threads = new AtomicInteger();

  /** A thread's position in the keys. */
  @State(Scope.Thread)
  public static class Place {
    private int next;

    /** Starts each thread at another position. */
    @Setup
    public void start(MemoryHit benchmark) {
      next = 7 * benchmark.threads.getAndIncrement();
    }

    int next() {
      return next++ & (KEYS - 1);
    }
  }

  /** Fills both caches. */
  @Setup
  public void fill() {
    for (int i = 0; i < KEYS; i++) {
      sources[i] = KernelSource.of("k" + i + ".hip", "extern \"C\" __global__ void k() {}\n");
      keys[i] = sources[i].digest().toString();
      bare.put(keys[i], manager.getOrCompile(sources[i], SampleKernel.TARGET));
    }
  }

  /** Removes the directory. */
  @TearDown
  public void close() {
    manager.close();
    directory.close();
  }

  @Benchmark
  public CodeObject getOrCompile(Place place) {
    return manager.getOrCompile(sources[place.next()], SampleKernel.TARGET);
  }

  @Benchmark
  public @Nullable CodeObject bareGet(Place place) {
    return bare.get(keys[place.next()], key -> null);
  }

  @Benchmark
  public Optional<CodeObject> getIfPresent(Place place) {
    return manager.getIfPresent(sources[place.next()], SampleKernel.TARGET);
  }

  @Benchmark
  public @Nullable CodeObject bareGetIfPresent(Place place) {
    return bare.getIfPresent(keys[place.next()]);
  }
}
