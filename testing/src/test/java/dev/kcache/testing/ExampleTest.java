// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheMissException;
import dev.kcache.cache.KernelCache;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipModule;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What docs/testing.md shows. Its Java is that of this file, which the last test compares. */
class ExampleTest {
  private static final String KERNEL =
      """
      extern "C" __attribute__((global)) void saxpy(int n, float a, const float* x, float* y);
      """;

  /** Code under test. */
  static final class Saxpy {
    static final KernelSource SOURCE = KernelSource.of("saxpy.hip", KERNEL);

    private final KernelCache cache;
    private final HipDevice device;

    Saxpy(KernelCache cache, HipDevice device) {
      this.cache = cache;
      this.device = device;
    }

    /** Returns {@code a * x + x}. */
    float[] apply(float a, float[] x) {
      float[] result = x.clone();
      try (HipModule module = device.load(cache.getOrCompile(SOURCE));
          HipStream stream = device.createStream();
          DeviceBuffer left = device.allocate(4L * x.length);
          DeviceBuffer right = device.allocate(4L * x.length)) {
        left.copyFrom(x);
        right.copyFrom(x);
        module
            .function("saxpy")
            .launch(
                LaunchConfig.covering(x.length, 256),
                stream,
                KernelArguments.of(x.length, a, left, right));
        stream.synchronize();
        right.copyTo(result);
      }
      return result;
    }
  }

  private static final CodeObject SAXPY = Known.codeObject("gfx90a");

  // The body of a kernel, for each of its threads; arguments are counted from 0.
  static final StandInKernel BODY =
      StandInKernel.perThread(
          (thread, call) -> {
            long i = thread.x();
            if (i < call.intAt(0)) {
              StandInBuffer y = call.buffer(3);
              y.setFloat(i, y.getFloat(i) + call.floatAt(1) * call.buffer(2).getFloat(i));
            }
          });

  @Test
  void apply_addsTheProduct() {
    InMemoryKernelCache cache =
        InMemoryKernelCache.builder().codeObject("saxpy.hip", SAXPY).build();
    try (StandInGpu gpu = StandInGpu.builder().target("gfx90a").kernel("saxpy", BODY).build()) {
      assertThat(new Saxpy(cache, gpu.device()).apply(2, new float[] {1, 2})).containsExactly(3, 6);
      assertThat(gpu.launches()).singleElement().hasToString("saxpy<<<1x1x1, 256x1x1>>>");
      assertThat(gpu.leaks()).isEmpty();
    }
    assertThat(cache.requests()).singleElement().hasToString("hit gfx90a saxpy.hip");
  }

  @Test
  void apply_withoutACompiler_fails() {
    InMemoryKernelCache cache =
        InMemoryKernelCache.builder()
            .compiler(
                (source, target) -> {
                  throw new ToolchainNotFoundException("no compiler");
                })
            .build();
    try (StandInGpu gpu = StandInGpu.builder().build()) {
      assertThatThrownBy(() -> new Saxpy(cache, gpu.device()).apply(2, new float[1]))
          .isInstanceOf(ToolchainNotFoundException.class);
      assertThat(gpu.leaks()).isEmpty();
    }
  }

  @Test
  void apply_whereNothingIsGiven_misses() {
    KernelCache cache = InMemoryKernelCache.builder().build();
    try (StandInGpu gpu = StandInGpu.builder().build()) {
      assertThatThrownBy(() -> new Saxpy(cache, gpu.device()).apply(2, new float[1]))
          .isInstanceOf(CacheMissException.class);
    }
  }

  @Test
  void documentation_showsThisFile() throws IOException {
    List<String> source =
        Files.readAllLines(Path.of("src/test/java/dev/kcache/testing/ExampleTest.java"));
    List<String> blocks = blocks(Files.readAllLines(Path.of("../docs/testing.md")));
    assertThat(blocks).hasSize(3);
    for (String block : blocks) {
      assertThat(plain(source)).contains(block);
    }
  }

  private static List<String> blocks(List<String> document) {
    List<String> blocks = new ArrayList<>();
    int begin = document.indexOf("```java");
    while (begin >= 0) {
      List<String> rest = document.subList(begin + 1, document.size());
      int end = rest.indexOf("```");
      blocks.add(plain(rest.subList(0, end)));
      document = rest.subList(end + 1, rest.size());
      begin = document.indexOf("```java");
    }
    return blocks;
  }

  /** Without blanks: lines are broken elsewhere in the document. */
  private static String plain(List<String> lines) {
    return String.join("", lines).replaceAll("\\s", "");
  }
}
