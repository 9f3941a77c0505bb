// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole benchmark, rehearsed with the real compilers on the stand-ins. */
class GpuBenchmarkTest {
  private static final Path SOURCE = Path.of("src/main/c/gpu.c");

  /** One for all tests, so that the catalogue is compiled once. */
  @TempDir private static Path cache;

  @TempDir private Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Path json;

  @BeforeEach
  void nameFiles() {
    json = directory.resolve("table.json");
  }

  private Map<String, String> environment(StandIn standIn) {
    return Map.of(
        "PATH", System.getenv("PATH"),
        "KCACHE_DIR", cache.toString(),
        "KCACHE_HIP_LIBRARY", standIn.library().toString());
  }

  private int run(StandIn standIn, String... more) {
    List<String> arguments = new ArrayList<>(List.of("--rehearse", "--json", json.toString()));
    arguments.addAll(List.of(more));
    return GpuBenchmark.run(
        arguments,
        environment(standIn),
        new PrintStream(out, true, UTF_8),
        new PrintStream(err, true, UTF_8));
  }

  private Path cProgram() throws IOException, InterruptedException {
    Path program = directory.resolve("gpu");
    List<String> command =
        List.of(
            "cc",
            "-std=gnu11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            program.toString(),
            SOURCE.toString(),
            "-ldl");
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    return program;
  }

  private static boolean hasNvcc() {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "nvcc")));
  }

  @Test
  void onNvidia_eachFigureStandsBesideCs() throws Exception {
    assumeTrue(hasNvcc(), "there is no nvcc on the PATH");
    StandIn standIn = StandIn.build(Version.CUDA_13_0).reset();

    int status = run(standIn, "--c", cProgram().toString(), "--commit", "c0ffee");

    assertThat(status).as(err.toString(UTF_8)).isZero();
    assertThat(out.toString(UTF_8))
        .contains("commit: c0ffee", "(sm_90)")
        .containsPattern("launch, no arguments +\\d+ ns +\\d+ ns +\\d+\\.\\d{3}  at least 0.95")
        .containsPattern(
            "launch, no arguments: CPU time +\\d+ ns +\\d+ ns +\\d+\\.\\d{3}  at most 1.15")
        .containsPattern("launch, 4 arguments: allocated +\\S+ B +0 +[mM]")
        .containsPattern("copy to the device, pinned +\\S+ GB/s +\\S+ GB/s +\\S+  at least 0.95")
        .containsPattern(
            "binary_add_bf16, 32 x 256; C: a copy +\\S+ GB/s +\\S+ GB/s +\\S+  at least 0.88")
        .containsPattern("first launch: process, JVM +\\S+ ms +\\S+ ms +\\d")
        .containsPattern("first launch: all of it +\\S+ ms +\\S+ ms +\\d");
    assertThat(json).content().contains("kcache.bench.gpu/1", "\"commit\" : \"c0ffee\"", "\"c\" :");
    assertThat(standIn.counters().imageUnaligned()).isZero();
    assertThat(standIn.counters().streams()).isZero();
    assertThat(standIn.counters().deviceBytes()).isZero();
  }

  @Test
  void onAmd_kcachesFiguresStandAlone() throws Exception {
    StandIn standIn = StandIn.build(Version.HIP_6_4).devices(StandIn.DEFAULT_DEVICE);

    int status = run(standIn, "--c", "there-is-none");

    assertThat(status).as(err.toString(UTF_8)).isZero();
    assertThat(err.toString(UTF_8)).contains("gpu.c calls CUDA's driver only: on AMD");
    assertThat(out.toString(UTF_8))
        .contains("(gfx90a")
        .containsPattern("launch, 4 arguments +\\d+ ns +at least 0.95\n")
        .containsPattern("binary_add_f16, 32 x 256; C: a copy +\\S+ GB/s +at least 0.88\n");
    assertThat(json).content().contains("\"unit\" : \"seconds\"").doesNotContain("\"c\" :");
    assertThat(standIn.counters())
        .isEqualTo(StandIn.Counters.cleanAfter(standIn.counters().launches()));
  }

  @Test
  void kernelThatComputesNothing_endsTheRun() {
    StandIn standIn =
        StandIn.build(Version.HIP_6_4)
            .devices(StandIn.DEFAULT_DEVICE)
            .ignore("hipModuleLaunchKernel");

    assertThatThrownBy(() -> run(standIn))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("binary_add_f32 computed 0xffffffff at byte 0, must be 0x40400000");
    assertThat(out.size()).isZero();
  }

  @Test
  void firstLaunch_thatHadToCompile_isNotMeasured() {
    StandIn standIn = StandIn.build(Version.HIP_6_4);
    Map<String, String> environment = new HashMap<>(environment(standIn));
    environment.put("KCACHE_DISABLE", "1");

    assertThatThrownBy(() -> FirstLaunch.inFreshJvm(environment))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("exit status 1 of: ");
  }

  @Test
  void noGpu_isOneLine() throws IOException {
    StandIn standIn = StandIn.build(Version.HIP_6_4).devices();

    assertThat(run(standIn)).isEqualTo(3);
    assertThat(err.toString(UTF_8)).startsWith("GpuBenchmark: ").hasLineCount(1);
    assertThat(json).doesNotExist();
  }

  @Test
  void wrongArgument_isOneLineWithTheUsage() {
    assertThat(run(StandIn.build(Version.HIP_6_4), "--fast")).isEqualTo(2);
    assertThat(err.toString(UTF_8)).isEqualTo(Settings.USAGE + "\n");
  }
}
