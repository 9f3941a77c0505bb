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
}
