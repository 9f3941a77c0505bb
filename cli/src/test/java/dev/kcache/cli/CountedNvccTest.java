// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
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
  private Path starts;
  private Path bin;

  @BeforeEach
  void wrapNvcc() throws IOException {
    Optional<Path> nvcc = onPath("nvcc");
    assumeTrue(nvcc.isPresent(), "no nvcc");
    starts = Files.createFile(directory.resolve("starts"));
    bin = Files.createDirectory(directory.resolve("bin"));
    program("nvcc", "exec " + nvcc.get() + " \"$@\"");
    program("gcc", "exec " + onPath("gcc").orElseThrow() + " \"$@\"");
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
    assertThat(starts())
        .anyMatch(line -> line.startsWith("nvcc --version"))
        .anyMatch(line -> line.startsWith("nvcc -cubin"))
        .anyMatch(line -> line.startsWith("nvcc -ptx"))
        .anyMatch(line -> line.startsWith("gcc "));
    // What depends on a file of the last seconds, as the wrappers are at first, is not remembered.
    while (isYoung(bin.resolve("gcc"))) {
      Thread.sleep(100);
    }
    assertThat(run("vadd.hip", "sm_90,compute_90")).contains("2 hits, 0 compiled");
    List<String> before = starts();

    assertThat(run("vadd.hip", "sm_90,compute_90")).contains("2 hits, 0 compiled");

    assertThat(starts()).isEqualTo(before);
  }

  private static boolean isYoung(Path file) throws IOException {
    Instant limit = Instant.now().minusSeconds(3);
    return Files.getLastModifiedTime(file).toInstant().isAfter(limit);
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
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("prewarm", source, "--arch", targets));
    Map<String, String> environment = new TreeMap<>();
    environment.put("PATH", bin + ":" + System.getenv("PATH"));
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Path errors = directory.resolve("errors");
    Path output = directory.resolve("output");
    Process process =
        builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
    assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(() -> content(errors)).isZero();
    return content(output);
  }

  private void program(String name, String action) throws IOException {
    Path program = bin.resolve(name);
    Files.writeString(
        program, "#!/bin/sh\necho \"%s $*\" >> '%s'\n%s\n".formatted(name, starts, action));
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  private static Optional<Path> onPath(String name) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(entry -> Path.of(entry, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private List<String> starts() throws IOException {
    return Files.readAllLines(starts, UTF_8);
  }

  private static String content(Path file) {
    try {
      return Files.readString(file, UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
