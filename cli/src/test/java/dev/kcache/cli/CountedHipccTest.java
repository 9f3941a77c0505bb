// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command in processes of its own, before this machine's hipcc behind a wrapper that counts.
 */
@Timeout(300)
class CountedHipccTest {
  @TempDir private Path directory;
  private CountedCommand command;

  @BeforeEach
  void wrapHipcc() throws IOException {
    command = new CountedCommand(directory);
    command.wrap("hipcc");
    Path shown = Path.of("../toolchain/src/test/resources/rocminfo/rocminfo.gfx90a.txt");
    command.program("rocminfo", "cat " + shown.toRealPath());
    source("vadd");
  }

  @Test
  void eightProcesses_onAnEmptyCache_compileEachKernelOnce() throws Exception {
    source("vsub");
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      processes.add(
          command.start(Map.of(), "prewarm", "vadd.hip", "vsub.hip", "--arch", "gfx90a", "-j2"));
    }
    for (Process process : processes) {
      Run run = Programs.end(process);
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out()).contains("0 failed");
    }
    assertThat(compiles()).isEqualTo(2);
  }

  @Test
  void secondRun_startsNeitherACompilerNorADetection() throws Exception {
    assertThat(command.run("prewarm", "vadd.hip", "--arch", "gfx90a, gfx906"))
        .contains("2 compiled");
    assertThat(command.starts()).anyMatch(line -> line.contains("--version"));
    assertThat(compiles()).isEqualTo(2);
    // What depends on a file of the last seconds, as the wrapper is at first, is not remembered.
    while (command.isYoung("hipcc")) {
      command.run("prewarm", "vadd.hip", "--arch", "gfx90a,gfx906");
    }
    command.run("prewarm", "vadd.hip", "--arch", "gfx90a,gfx906");
    List<String> before = command.starts();
    command.options.add("-Xlog:class+load:file=classes");

    assertThat(command.run("prewarm", "vadd.hip", "--arch", "gfx90a,gfx906"))
        .contains("2 hits, 0 compiled");

    assertThat(command.starts()).isEqualTo(before);
    assertThat(compiles()).isEqualTo(2);
    assertThat(directory.resolve("classes"))
        .content()
        .contains(" dev.kcache.cache.CacheManager ")
        .doesNotContain(" dev.kcache.llvm.", " dev.kcache.hiprtc.", " org.bytedeco.");
    assertThat(directory.resolve("cache/toolchains")).doesNotExist();
  }

  @Test
  void detectedDevice_hitsWhatWasMadeForItsProcessor() throws Exception {
    assertThat(command.run("prewarm", "vadd.hip", "--arch", "gfx90a")).contains("1 compiled");

    String detected = command.run("prewarm", "vadd.hip");

    assertThat(command.starts()).anyMatch(line -> line.startsWith("rocminfo"));
    assertThat(detected).contains("hit       gfx90a").contains("1 hit, 0 compiled");
  }

  @Test
  void environmentOfTheCaller_doesNotReachTheCompiler() throws Exception {
    command.run("prewarm", "vadd.hip", "--arch", "gfx90a", "--cache-dir", "plain");
    Map<String, String> altered =
        Map.of("HIPCC_COMPILE_FLAGS_APPEND", "-O0 -DALTERED", "CPATH", directory.toString());
    Process process =
        command.start(
            altered, "prewarm", "vadd.hip", "--arch", "gfx90a", "--cache-dir", "altered-cache");
    assertThat(Programs.end(process).exitCode()).isZero();

    assertThat(codeObjects("altered-cache")).isEqualTo(codeObjects("plain")).hasSize(1);
  }

  @Test
  void sourceInAnotherDirectory_givesTheSameCodeObjectAndIsAHit() throws Exception {
    command.run("prewarm", "vadd.hip", "--arch", "gfx90a");
    Path elsewhere = Files.createDirectories(directory.resolve("some/where else"));
    Files.copy(directory.resolve("vadd.hip"), elsewhere.resolve("vadd.hip"));
    String copy = elsewhere.resolve("vadd.hip").toString();

    assertThat(command.run("prewarm", copy, "--arch", "gfx90a")).contains("1 hit, 0 compiled");
    command.run("prewarm", copy, "--arch", "gfx90a", "--force", "--cache-dir", "again");

    assertThat(codeObjects("again")).isEqualTo(codeObjects("cache")).hasSize(1);
  }

  private void source(String kernel) throws IOException {
    Files.writeString(
        directory.resolve(kernel + ".hip"),
        "extern \"C\" __attribute__((global)) void %s(int* out) { *out = 1; }\n".formatted(kernel));
  }

  private long compiles() throws IOException {
    return command.starts().stream()
        .filter(line -> line.contains("--genco") && !line.contains("-###"))
        .count();
  }

  private List<String> codeObjects(String cache) {
    return CommandRunner.files(directory.resolve(cache), ".co").stream()
        .map(file -> file.getFileName().toString())
        .toList();
  }
}
