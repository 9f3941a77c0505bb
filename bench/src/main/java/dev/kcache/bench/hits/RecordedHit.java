// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;
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

/** A hit in memory, without and with Java's Flight Recorder, for which each is an event. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class RecordedHit {
  /** The oldest events go: there are a million in a second. */
  private static final long MOST_BYTES = 64 << 20;

  @Param({"false", "true"})
  public boolean recording;

  private final TemporaryDirectory directory = new TemporaryDirectory();
  private final KernelSource source =
      KernelSource.of("softmax_f32.hip", "extern \"C\" __global__ void k() {}\n");
  private final CacheManager manager =
      SampleKernel.manager(directory.path()).toolchain(new CopyingToolchain()).build();
  private @Nullable Recording recorder;

  /** Fills the cache, and begins to record. */
  @Setup
  public void start() {
    manager.getOrCompile(source, SampleKernel.TARGET);
    if (recording) {
      // Only now: the recorder is on for good once there is a recording.
      Recording started = new Recording();
      started.setMaxSize(MOST_BYTES);
      started.start();
      recorder = started;
    }
  }

  /** Removes the directory and what was recorded. */
  @TearDown
  public void close() {
    if (recorder != null) {
      recorder.close();
    }
    manager.close();
    directory.close();
  }

  @Benchmark
  public CodeObject getOrCompile() {
    return manager.getOrCompile(source, SampleKernel.TARGET);
  }
}
