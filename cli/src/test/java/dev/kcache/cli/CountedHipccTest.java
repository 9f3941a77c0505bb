// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command in processes of its own, before this machine's hipcc behind a wrapper that counts.
 */
@Timeout(300)
class CountedHipccTest {
  /** What the JVMs get. */
  private final List<String> java = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xmx256m"));

  @TempDir private Path directory;
  private Path starts;
  private Path bin;

  @BeforeEach
  void wrapHipcc() throws IOException {
    starts = Files.createFile(directory.resolve("starts"));
    bin = Files.createDirectory(directory.resolve("bin"));
    program("hipcc", "exec " + realHipcc() + " \"$@\"");
    program(
        "rocminfo",
        "cat "
            + Path.of("../toolchain/src/test/resources/rocminfo/rocminfo.gfx90a.txt").toRealPath());
    source("vadd");
  }

  @Test
  void eightProcesses_onAnEmptyCache_compileEachKernelOnce() throws Exception {
    source("vsub");
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      processes.add(
          start("out" + i, Map.of(), "prewarm", "vadd.hip", "vsub.hip", "--arch", "gfx90a", "-j2"));
    }
    for (Process process : processes) {
      assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    }
    assertThat(compiles()).isEqualTo(2);
    for (int i = 0; i < 8; i++) {
      assertThat(directory.resolve("out" + i)).content().contains("0 failed");
    }
  }

  @Test
  void secondRun_startsNeitherACompilerNorADetection() throws Exception {
    assertThat(run("prewarm", "vadd.hip", "--arch", "gfx90a, gfx906")).contains("2 compiled");
    assertThat(starts()).anyMatch(line -> line.contains("--version"));
    assertThat(compiles()).isEqualTo(2);
    // What depends on a file of the last seconds, as the wrapper is at first, is not remembered.
    while (isYoung(bin.resolve("hipcc"))) {
      run("prewarm", "vadd.hip", "--arch", "gfx90a,gfx906");
    }
    run("prewarm", "vadd.hip", "--arch", "gfx90a,gfx906");
    List<String> before = starts();
    java.add("-Xlog:class+load:file=classes");

    assertThat(run("prewarm", "vadd.hip", "--arch", "gfx90a,gfx906"))
        .contains("2 hits, 0 compiled");

    assertThat(starts()).isEqualTo(before);
    assertThat(compiles()).isEqualTo(2);
    assertThat(directory.resolve("classes"))
        .content()
        .contains(" dev.kcache.cache.CacheManager ")
        .doesNotContain(" dev.kcache.llvm.", " dev.kcache.hiprtc.", " org.bytedeco.");
    assertThat(directory.resolve("cache/toolchains")).doesNotExist();
  }

  private static boolean isYoung(Path file) throws IOException {
    Instant limit = Instant.now().minusSeconds(3);
    return Files.getLastModifiedTime(file).toInstant().isAfter(limit);
  }

  @Test
  void detectedDevice_hitsWhatWasMadeForItsProcessor() throws Exception {
    assertThat(run("prewarm", "vadd.hip", "--arch", "gfx90a")).contains("1 compiled");

    String detected = run("prewarm", "vadd.hip");

    assertThat(starts()).anyMatch(line -> line.startsWith("rocminfo"));
    assertThat(detected).contains("hit       gfx90a").contains("1 hit, 0 compiled");
  }

  @Test
  void environmentOfTheCaller_doesNotReachTheCompiler() throws Exception {
    run("prewarm", "vadd.hip", "--arch", "gfx90a", "--cache-dir", "plain");
    Process altered =
        start(
            "altered",
            Map.of("HIPCC_COMPILE_FLAGS_APPEND", "-O0 -DALTERED", "CPATH", directory.toString()),
            "prewarm",
            "vadd.hip",
            "--arch",
            "gfx90a",
            "--cache-dir",
            "altered-cache");
    assertThat(altered.waitFor()).isZero();

    assertThat(codeObjects("altered-cache")).isEqualTo(codeObjects("plain")).hasSize(1);
  }

  @Test
  void sourceInAnotherDirectory_givesTheSameCodeObjectAndIsAHit() throws Exception {
    run("prewarm", "vadd.hip", "--arch", "gfx90a");
    Path elsewhere = Files.createDirectories(directory.resolve("some/where else"));
    Files.copy(directory.resolve("vadd.hip"), elsewhere.resolve("vadd.hip"));
    String copy = elsewhere.resolve("vadd.hip").toString();

    assertThat(run("prewarm", copy, "--arch", "gfx90a")).contains("1 hit, 0 compiled");
    run("prewarm", copy, "--arch", "gfx90a", "--force", "--cache-dir", "again");

    assertThat(codeObjects("again")).isEqualTo(codeObjects("cache")).hasSize(1);
  }

  private String run(String... arguments) throws Exception {
    Process process = start("out", Map.of(), arguments);
    assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(() -> content("out.err")).isZero();
    return content("out");
  }

  private Process start(String output, Map<String, String> extra, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(java);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    Map<String, String> environment = new TreeMap<>(extra);
    environment.put("PATH", bin + ":" + System.getenv("PATH"));
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder
        .redirectOutput(directory.resolve(output).toFile())
        .redirectError(directory.resolve(output + ".err").toFile())
        .start();
  }

  private void program(String name, String action) throws IOException {
    Path program = bin.resolve(name);
    Files.writeString(
        program, "#!/bin/sh\necho \"%s $*\" >> '%s'\n%s\n".formatted(name, starts, action));
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  private void source(String kernel) throws IOException {
    Files.writeString(
        directory.resolve(kernel + ".hip"),
        "extern \"C\" __attribute__((global)) void %s(int* out) { *out = 1; }\n".formatted(kernel));
  }

  private static Path realHipcc() {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(entry -> Path.of(entry, "hipcc"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError("the tests need hipcc; run scripts/install-hipcc"));
  }

  private List<String> starts() throws IOException {
    return Files.readAllLines(starts, UTF_8);
  }

  private long compiles() throws IOException {
    return starts().stream()
        .filter(line -> line.contains("--genco") && !line.contains("-###"))
        .count();
  }

  private List<String> codeObjects(String cache) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve(cache))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".co"))
          .toList();
    }
  }

  private String content(String name) {
    try {
      return Files.readString(directory.resolve(name), UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
