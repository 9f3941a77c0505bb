// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
 * Hits on disk, without a memory tier, beside reading and digesting the file of the code object.
 * The compiler and the files that the record depends on are the machine's. {@code -p
 * entries=100,100000} shows the cost of growth; filling the directory takes a while.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class DiskHit {
  /** The approximate size of the code object in bytes. */
  @Param({"10000", "1000000"})
  private int bytes;

  /** The number of other entries in the cache directory. */
  @Param({"100"})
  private int entries;

  private final TemporaryDirectory directory = new TemporaryDirectory();
  private final CacheManager manager =
      SampleKernel.manager(directory.path()).memoryLimit(0).build();
  private KernelSource source = SampleKernel.ofSize(10_000);
  private Path file = directory.path();

  /** Compiles the kernel. */
  @Setup
  public void fill() throws IOException {
    manager.getOrCompile(SampleKernel.ofSize(0), SampleKernel.TARGET);
    new ManyEntries(directory.path()).fill(entries);
    source = SampleKernel.ofSize(bytes);
    String name = manager.getOrCompile(source, SampleKernel.TARGET).digest() + ".co";
    try (Stream<Path> files = Files.walk(directory.path())) {
      file = files.filter(each -> each.endsWith(name)).findFirst().orElseThrow();
    }
  }

  /** Removes the directory. */
  @TearDown
  public void close() {
    manager.close();
    directory.close();
  }

  @Benchmark
  public CodeObject hit() {
    return manager.getOrCompile(source, SampleKernel.TARGET);
  }

  @Benchmark
  public byte[] readAndDigest() throws IOException, NoSuchAlgorithmException {
    return MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
  }
}
