// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kcache run} with the real hipcc and the stand-in for the runtime. */
class RunCommandTest extends CommandTestBase {
  private static final String DEVICE = "gfx90a:sramecc+:xnack-/uuid=0e12865a3bf5b7ab";

  @TempDir private static Path compiled;

  private StandIn standIn;

  @BeforeEach
  void createRunner() {
    standIn = StandIn.build(Version.HIP_6_4).devices(DEVICE, "gfx1030/uuid=1111111111111111");
    command.realCompiler = true;
    command.environment.put("PATH", System.getenv("PATH"));
    put("KCACHE_DIR", compiled.toString(), "KCACHE_HIP_LIBRARY", standIn.directory().toString());
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(standIn.counters())
        .isEqualTo(StandIn.Counters.cleanAfter(standIn.counters().launches()));
  }

  @Test
  void vadd_isRight() {
    assertThat(succeeds("run", "vadd", "--n", "3M").out())
        .contains("0: AMD Instinct MI210 (gfx90a:sramecc+:xnack-), HIP 6.4.43484")
        .containsPattern("(compiled|hit) for gfx90a, \\d")
        .contains("vadd of 3000000 elements in 11719 blocks of 256 threads")
        .containsPattern("result +right\n")
        .containsSubsequence(
            "runtime, device", "code object", "load", "copy in", "launch", "copy out, check");
    assertThat(command.run("run", "vadd").out()).contains("hit for gfx90a", "1000000 elements");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "GPU-1111", "0000:43:00.0"})
  void device_isChosenByAnySelector(String selector) {
    assertThat(succeeds("run", "vadd", "--n", "1", "--device", selector).out())
        .contains("1: AMD Radeon RX 6800 (gfx1030)", "for gfx1030");
  }

  @Test
  void json_hasWhatHappenedAndHowLongItTook() {
    assertThat(succeeds("run", "vadd", "--n", "1000", "--json").out())
        .startsWith(
            "{\"schema\":\"kcache.run/1\",\"kernel\":\"vadd\",\"elements\":1000,\"right\":true,\"mismatch\":null,\"device\":{\"ordinal\":0,\"name\":\"AMD"
                + " Instinct"
                + " MI210\",\"target\":\"gfx90a:sramecc+:xnack-\",\"runtimeVersion\":\"6.4.43484\",\"runtime\":\"hip\"}")
        .contains("\"target\":\"gfx90a\"", "\"blocks\":4", "{\"name\":\"load\",\"seconds\":");
  }

  private StandIn hsa() {
    StandIn hsa = StandIn.build(Version.HSA_6_4).reset();
    command.environment.remove("KCACHE_HIP_LIBRARY");
    put("KCACHE_HSA_LIBRARY", hsa.directory().toString());
    return hsa;
  }

  @Test
  void vadd_isRightOnHsaAlone() {
    StandIn hsa = hsa();
    assertThat(succeeds("run", "vadd", "--runtime", "hsa", "--n", "3M").out())
        .contains("0: AMD Instinct MI210 (gfx90a:sramecc+:xnack-), HSA 1.15.0")
        .containsPattern("result +right\n");
    put("KCACHE_RUNTIME", "hsa");
    assertThat(succeeds("run", "vadd", "--n", "10", "--json").out())
        .contains("\"right\":true", "\"runtimeVersion\":\"1.15.0\",\"runtime\":\"hsa\"");
    assertThat(hsa.counters()).isEqualTo(StandIn.Counters.cleanAfter(2));
  }

  /** The option comes before the variable. */
  @Test
  void runtime_isThatOfTheOption() {
    put("KCACHE_RUNTIME", "hsa", "KCACHE_HSA_LIBRARY", directory + "/gone");
    assertThat(succeeds("run", "vadd", "--n", "10", "--runtime", "hip").out()).contains("HIP 6.4");
    assertThat(ends(ExitCode.UNAVAILABLE, "run", "vadd").err())
        .contains("/gone (KCACHE_HSA_LIBRARY): does not exist; install ROCm's HSA runtime")
        .hasLineCount(1);
  }

  @Test
  void hsaWithoutAGpu_isOneLine() {
    hsa().devices();
    assertThat(ends(ExitCode.UNAVAILABLE, "run", "vadd", "--runtime", "hsa").err())
        .startsWith("kcache: there is no GPU: ")
        .hasLineCount(1);
  }

  @Test
  void hsaThatIsTooOld_isOneLine() {
    StandIn old = StandIn.build(Version.HSA_6_4).without("hsa_executable_freeze");
    put("KCACHE_HSA_LIBRARY", old.library().toString());
    assertThat(ends(ExitCode.UNAVAILABLE, "run", "vadd", "--runtime", "hsa").err())
        .endsWith(
            ": is too old: it has no hsa_executable_freeze; install ROCm's HSA runtime, or name its"
                + " library in KCACHE_HSA_LIBRARY\n")
        .hasLineCount(1);
  }

  @Test
  void agentOfAnUnknownProcessor_isOneLine() {
    StandIn hsa = hsa().devices("gfx9999");
    assertThat(ends(ExitCode.UNAVAILABLE, "run", "vadd", "--runtime", "hsa").err())
        .isEqualTo(
            "kcache: kcache does not know the processor gfx9999 of device 0; choose another device,"
                + " or use a newer kcache\n");
    hsa.reset();
  }

  /** Each is the runtime of the other's devices. */
  @Test
  void hsaWhereHipIsAskedFor_isOneLine() {
    put("KCACHE_HIP_LIBRARY", hsa().library().toString());
    assertThat(ends(ExitCode.UNAVAILABLE, "run", "vadd", "--runtime", "hip").err())
        .endsWith(
            " (KCACHE_HIP_LIBRARY): is a library of hsa, and KCACHE_RUNTIME names another runtime;"
                + " unset one of the two\n")
        .hasLineCount(1);
  }

  @Test
  void runtimeThatThereIsNot_isOneLine() {
    assertThat(ends(ExitCode.USAGE, "run", "vadd", "--runtime", "banana").err())
        .contains("'banana' is not a runtime; there are hip, hsa and cuda");
    put("KCACHE_RUNTIME", "banana");
    assertThat(ends(ExitCode.USAGE, "run", "vadd").err())
        .isEqualTo(
            "kcache: KCACHE_RUNTIME='banana' is none of hip, hsa, cuda; correct it or unset it\n");
  }

  @Test
  void wrongResult_isToldAndIsExitCodeOne() {
    standIn.ignore("hipModuleLaunchKernel");
    assertThat(ends(ExitCode.FAILED, "run", "vadd", "--n", "10").out())
        .containsPattern("result +wrong: element 0 is .*, must be 1000.0");
  }

  @Test
  void failureOfTheRuntime_isOneLine() {
    standIn.fail("hipMalloc", 2);
    Run run = ends(ExitCode.FAILED, "run", "vadd");

    assertThat(run.err()).startsWith("kcache: hipMalloc: hipErrorOutOfMemory (2)").hasLineCount(1);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void noGpu_isOneLineThatSaysWhatIsMissing() {
    standIn.devices();
    assertThat(ends(ExitCode.UNAVAILABLE, "run", "vadd").err())
        .startsWith("kcache: ")
        .contains("there is no GPU")
        .hasLineCount(1);
  }

  /** What is lacking depends on the machine's GPU driver, which may be there or not. */
  @ParameterizedTest
  @ValueSource(strings = {"", "-1"})
  void noGpuOfNvidias_isSpokenOfAsNvidias(String visible) {
    StandIn nvidia = StandIn.build(Version.CUDA_13_0).devices();
    put("KCACHE_HIP_LIBRARY", nvidia.directory().toString(), "CUDA_VISIBLE_DEVICES", visible);

    assertThat(ends(ExitCode.UNAVAILABLE, "run", "vadd").err())
        .isEqualTo(
            "kcache: there is no GPU: %s\n",
            Files.exists(Path.of("/dev/nvidiactl"))
                ? "CUDA_VISIBLE_DEVICES='%s' may hide what there is; unset it, or name devices that are there"
                    .formatted(visible)
                : "there is no /dev/nvidiactl; load the nvidia kernel module, or give a container the GPU with --gpus all");
  }

  @Test
  void noRuntime_isOneLineThatSaysWhatIsMissing() throws IOException {
    put("KCACHE_HIP_LIBRARY", Files.createDirectory(directory.resolve("empty")).toString());
    assertThat(ends(ExitCode.UNAVAILABLE, "run", "vadd").err())
        .startsWith("kcache: ")
        .contains("libamdhip64")
        .hasLineCount(1);
  }

  @Test
  void targetThatIsNotTheDevices_isRefused() {
    put("ARCH", "gfx1100");
    assertThat(ends(ExitCode.USAGE, "run", "vadd").err())
        .contains("gfx1100", "gfx90a:sramecc+:xnack-")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({
    "vsub, 'vsub' is not a kernel to run",
    "vadd --n 0, not a number of elements",
    "vadd --n 3G, not a number of elements",
    "vadd --n 1.5M, not a number of elements",
    "vadd --n -1, --n",
    "vadd --device 7, 7",
    "vadd --device GPU-zz, GPU-zz",
  })
  void wrongRequest_isOneLine(String arguments, String expected) {
    Run run = ends(ExitCode.USAGE, (Object[]) ("run " + arguments).split(" "));

    assertThat(run.err().lines().findFirst().orElseThrow())
        .startsWith("kcache: ")
        .contains(expected);
    assertThat(run.out()).isEmpty();
  }
}
