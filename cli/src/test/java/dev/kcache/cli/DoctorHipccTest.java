// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examination of this machine's own compiler. */
@Timeout(180)
class DoctorHipccTest extends CommandTestBase {
  @BeforeEach
  void createRunner() {
    command.realCompiler = true;
    command.environment.put("PATH", System.getenv("PATH"));
  }

  @Test
  void thisMachine_canCompile() {
    Run run = command.run("doctor", "--json");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.out())
        .startsWith("{\"schema\":\"kcache.doctor/1\",\"ok\":true,\"checks\":[{\"name\":\"version\"")
        .containsPattern(
            "\"compiler\",\"status\":\"ok\",\"detail\":\"/[^\"]*, HIP \\d+\\.\\d+\\.[^\"]*, label")
        .contains("\"compile\",\"status\":\"ok\",\"detail\":\"a small kernel for ");
  }

  @Test
  void targetThatThisCompilerDoesNotKnow_isToldFromABrokenCompiler() {
    put("KCACHE_ARCH", "gfx1310");

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .contains("compiles for gfx1030, but not for gfx1310: ");
  }

  @Test
  void toolchains_areAllNamedWithTheOneInUseAndWhy() {
    Run usual = command.run("doctor");
    Run asked = command.run("doctor", "--toolchain", "hipcc");
    put("KCACHE_TOOLCHAIN", "hipcc");
    Run missing = command.run("doctor", "--toolchain", "llvm");

    assertThat(usual.out())
        .containsPattern("ok +toolchains +hipcc \\(in use, the first that is there\\), ")
        .contains("llvm (not there)");
    assertThat(asked.out()).contains("hipcc (asked for, there)");
    assertThat(missing.out()).contains("hipcc (there)").contains("llvm (asked for, not there)");
    assertThat(missing.exitCode()).isEqualTo(3);
  }

  @Test
  void toolchainOfTheOtherPlatform_isAWarningWithWhatServesInItsPlace() {
    put("KCACHE_TOOLCHAIN", "nvcc", "KCACHE_ARCH", "gfx90a");

    String byVariable = succeeds("doctor").out();
    put("KCACHE_TOOLCHAIN", "");
    String byOption = succeeds("doctor", "--toolchain", "nvcc").out();

    assertThat(byVariable)
        .containsPattern(
            "warn  toolchains  KCACHE_TOOLCHAIN=nvcc does not compile for AMD's targets, for which"
                + " hipcc is used: hipcc \\(in use, the first that is there\\), amdclang")
        .contains(
            "fix: name a target of NVIDIA's such as KCACHE_ARCH=sm_90, or ask for a compiler of"
                + " AMD's\n")
        .containsPattern("ok    rocm        .*/hipcc \\(used\\)")
        .doesNotContain("asked for,", "not used");
    assertThat(byOption)
        .contains("warn  toolchains  --toolchain nvcc does not compile for AMD's targets, ");
  }

  @Test
  void toolchainThatAnOptionAsksFor_isWhyAnotherCompilerOfTheMachineIsNotUsed() {
    put("KCACHE_ARCH", "gfx90a");

    assertThat(succeeds("doctor", "--toolchain", "hiprtc").out())
        .contains("hiprtc (asked for, there)")
        .containsPattern("rocm        .*/hipcc \\(not used: hiprtc is used\\)")
        .doesNotContain("hipcc (used)");
  }
}
