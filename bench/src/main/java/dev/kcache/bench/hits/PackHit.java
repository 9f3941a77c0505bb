// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.PackWriter;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Hits in a pack of many kernels, without a memory tier, beside hits in the directory that was
 * packed, as a layer, too. The own directory, which is asked first, does not exist.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class PackHit {
  /** The number of entries in the directory and in the pack. */
  @Param({"1000"})
  private int entries;

  private final TemporaryDirectory directory = new TemporaryDirectory();
  private final Path layer = directory.path().resolve("layer");
  private final Path pack = directory.path().resolve("kernels.jar");
  private final KernelSource source = SampleKernel.ofSize(10_000);
  private final CacheManager ofLayer = over(layer);
  private final CacheManager ofPack = over(pack);

  private CacheManager over(Path place) {
    return SampleKernel.manager(directory.path().resolve("own"))
        .layers(List.of(place))
        .memoryLimit(0)
        .build();
  }

  /** Compiles the kernel, copies its entry many times and packs all. */
  @Setup
  public void fill() throws IOException {
    try (CacheManager filling = SampleKernel.manager(layer).build()) {
      filling.getOrCompile(source, SampleKernel.TARGET);
      new ManyEntries(layer).fill(entries);
      PackWriter.write(filling, pack, Set.of(), (root, done, total) -> {});
    }
  }

  /** Removes both. */
  @TearDown
  public void close() {
    ofLayer.close();
    ofPack.close();
    directory.close();
  }

  @Benchmark
  public CodeObject fromDirectory() {
    return ofLayer.getOrCompile(source, SampleKernel.TARGET);
  }

  @Benchmark
  public CodeObject fromPack() {
    return ofPack.getOrCompile(source, SampleKernel.TARGET);
  }
}
