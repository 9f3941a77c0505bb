// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command in processes of its own, before this machine's nvcc and host compiler behind wrappers
 * that count.
 */
@Timeout(300)
class CountedNvccTest {
  @TempDir private Path directory;
  private CountedCommand command;

  @BeforeEach
  void wrapNvcc() throws IOException {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(entry -> Files.isExecutable(Path.of(entry, "nvcc"))),
        "no nvcc");
    command = new CountedCommand(directory);
    command.wrap("nvcc");
    command.wrap("gcc");
    Files.writeString(
        directory.resolve("vadd.hip"),
        """
        #include <hip/hip_runtime.h>
        #include <cmath>
        extern "C" __global__ void vadd(float* c) { c[threadIdx.x] = std::fabs(*c); }
        """);
  }

  @Test
  void laterRun_startsNoProcess() throws Exception {
    assertThat(run("vadd.hip", "sm_90,compute_90")).contains("2 compiled");
    assertThat(command.starts())
        .anyMatch(line -> line.startsWith("nvcc --version"))
        .anyMatch(line -> line.startsWith("nvcc -cubin"))
        .anyMatch(line -> line.startsWith("nvcc -ptx"))
        .anyMatch(line -> line.startsWith("gcc "));
    // What depends on a file of the last seconds, as the wrappers are at first, is not remembered.
    do {
      assertThat(run("vadd.hip", "sm_90,compute_90")).contains("2 hits, 0 compiled");
    } while (command.isYoung("gcc"));
    run("vadd.hip", "sm_90,compute_90");
    List<String> before = command.starts();

    assertThat(run("vadd.hip", "sm_90,compute_90")).contains("2 hits, 0 compiled");

    assertThat(command.starts()).isEqualTo(before);
  }

  @Test
  void sourceInAnotherDirectory_isAHit() throws Exception {
    run("vadd.hip", "sm_90");
    Path elsewhere = Files.createDirectories(directory.resolve("some/where else"));
    Path copy = Files.copy(directory.resolve("vadd.hip"), elsewhere.resolve("vadd.hip"));

    assertThat(run(copy.toString(), "sm_90")).contains("1 hit, 0 compiled");
  }

  @Test
  void nameThatAShellWouldRun_isOnlyAName() throws Exception {
    String name = "a b$(touch pwned)`touch pwned`'k.hip";
    Files.copy(directory.resolve("vadd.hip"), directory.resolve(name));

    assertThat(run(name, "sm_90")).contains("1 compiled");
    assertThat(directory.resolve("pwned")).doesNotExist();
  }

  private String run(String source, String targets) throws Exception {
    return command.run("prewarm", source, "--arch", targets);
  }
}
