// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command with this machine's hipcc, as itself and in a WSL that a fake wsl.exe plays. */
@Timeout(180)
class WslHipccTest extends CommandTestBase {
  private static final Path FAKE =
      Path.of("../toolchain/src/test/resources/dev/kcache/toolchain/standin/wsl.exe");

  private static final String KERNEL =
      """
      #include <hip/hip_runtime.h>
      #include "it's 100% ^mine & ünï.h"
      extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= SCALE; }
      """;

  private static final String MADE =
      """
      {"schema": "kcache.manifest/1", "kernels": [{"source": "k2.hip"}]}
      """;

  private Path system;

  @BeforeEach
  void installWsl() throws IOException {
    command.realCompiler = true;
    system = Files.createDirectories(directory.resolve("System 32"));
    Files.copy(FAKE, system.resolve("wsl.exe"));
    Files.write(system.resolve("distributions"), List.of("Ubuntu", "Debian"));
    put("PATH", system + ":" + System.getenv("PATH"));
  }

  /** One process of WSL, and two of Linux: each reads the compiler's libraries. */
  @Test
  void entries_areTheSameAsOnLinux() {
    Path first = command.write("k (1) %X% ^&.hip", KERNEL);
    Path second = command.write("k2.hip", KERNEL.replace("scale", "again"));
    command.write("it's 100% ^mine & ünï.h", "#define SCALE 2\n");

    assertThat(prewarm("hipcc", first)).contains("0 hits, 1 compiled");
    assertThat(prewarm("wsl:Debian", first, second)).contains("1 hit, 1 compiled");
    assertThat(prewarm("hipcc", first, second)).contains("2 hits, 0 compiled");
    Path made = command.write("made.json", MADE);
    assertThat(succeeds("verify", "--recompile=all", "--manifest", made).out())
        .as("hipcc gives the bytes that WSL's gave")
        .contains("1 the same");
  }

  private String prewarm(String toolchain, Path... sources) {
    List<Object> words =
        new ArrayList<>(List.of("prewarm", "--arch", "gfx90a", "--toolchain", toolchain));
    words.addAll(List.of(sources));
    return succeeds(words.toArray()).out();
  }

  @Test
  void wslThatDoesNotStart_isOneLine() throws IOException {
    Files.writeString(system.resolve("mode"), "stopped");
    put("KCACHE_TOOLCHAIN", "wsl");

    Run run = ends(ExitCode.UNAVAILABLE, "prewarm", "--arch", "gfx90a", command.kernel("k.hip"));

    assertThat(run.err().lines())
        .containsExactly(
            "kcache: WSL's Ubuntu compiles nothing: wsl.exe says \"The virtual machine could not be"
                + " started because a required feature is not installed.\"; does 'wsl -d Ubuntu' in a"
                + " terminal of Windows start it?");
  }
}
