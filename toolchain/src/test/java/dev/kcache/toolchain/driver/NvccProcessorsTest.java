// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.process.ProgramRunner;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The processors that the machine's real nvcc says it compiles for.
 *
 * <p>With {@code -Dkcache.tests.targets=all} a kernel is compiled for each of them, and for four
 * otherwise.
 */
class NvccProcessorsTest {
  private static final String KERNEL =
      """
      #include <hip/hip_runtime.h>
      #include <hip/hip_fp16.h>
      #include <hip/hip_bf16.h>
      extern "C" __global__ void k(float* p, __half h, __hip_bfloat16 b) {
        p[hipThreadIdx_x] = __shfl_xor(p[0], 1) + __half2float(h) + __bfloat162float(b);
        if (__any(p[1] > 0)) p[2] = __ballot(1);
      }
      """;

  @TempDir static Path directory;
  private static Path nvcc;
  private static DriverToolchain toolchain;

  @BeforeAll
  static void find() {
    nvcc = RealNvcc.orSkip();
    toolchain =
        TestToolchains.find(
            Platform.NVIDIA, System.getenv(), () -> directory, Optional.of(directory));
  }

  @AfterAll
  static void close() {
    if (toolchain != null) {
      toolchain.close();
    }
  }

  @Test
  void processors_areThoseThatItListsAndTheirVariants() throws Exception {
    List<String> named = toolchain.processors().stream().map(Processor::toString).toList();

    assertThat(named).contains("sm_90", "sm_90a", "compute_90").doesNotContain("sm_30", "gfx90a");
    assertThat(named.stream().filter(name -> name.startsWith("sm_") && name.matches(".*\\d")))
        .containsExactlyInAnyOrderElementsOf(listed());
  }

  @Test
  void processor_compilesAKernelWithOurHeaders() {
    Map<TargetId, Toolchain.Output> outputs =
        targets()
            .parallel()
            .collect(Collectors.toConcurrentMap(target -> target, NvccProcessorsTest::compile));

    outputs.forEach(
        (target, output) -> {
          assertThat(output.codeObject().target()).isEqualTo(target);
          assertThat(output.log()).as("%s", target).isEmpty();
        });
  }

  private static Stream<TargetId> targets() {
    return "all".equals(System.getProperty("kcache.tests.targets"))
        ? toolchain.processors().stream().map(TargetId::of)
        : Stream.of("sm_75", "sm_90a", "sm_120f", "compute_90").map(TargetId::parse);
  }

  private static Toolchain.Output compile(TargetId target) {
    try {
      return toolchain.compile(RealNvcc.job(target, "k.hip", KERNEL));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> listed() throws InterruptedException {
    try (ProgramRunner runner = ProgramRunner.create(List.of());
        Staging staging = Staging.create(() -> directory)) {
      return runner
          .run(
              List.of(nvcc.toString(), "--list-gpu-code"),
              staging,
              Map.of("PATH", "/usr/bin:/bin"),
              RunLimits.ofProbe(Duration.ofMinutes(1)))
          .output()
          .lines()
          .toList();
    }
  }
}
