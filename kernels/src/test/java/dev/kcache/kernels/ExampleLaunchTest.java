// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code examples/Launch.java} as {@code examples/run} starts it, on a stand-in for the runtime.
 */
class ExampleLaunchTest {
  /** All that this machine compiles: not each has a rustc with the target. */
  private static final List<String> LANGUAGES =
      Rustcs.ofPath().isPresent() ? List.of("hip", "rs", "ll", "s") : List.of("hip", "ll", "s");

  private static final Path EXAMPLES = Path.of("..", "examples").toAbsolutePath().normalize();
  private static final Path PROGRAM = EXAMPLES.resolve("Launch.java");

  /** One for all tests, so that each kernel is compiled once. */
  @TempDir private static Path cache;

  @TempDir private Path directory;

  private Finished launch(Path program, Path examples, String device) throws IOException {
    Path library = StandIn.build(Version.HIP_6_4).library();
    Map<String, String> devices = Map.of(StandIn.ENVIRONMENT, "devices=" + device);
    return launch(program, examples, LANGUAGES, library, devices);
  }

  private Finished launch(
      Path program, Path examples, List<String> languages, Path library, Map<String, String> more)
      throws IOException {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("KCACHE_DIR", cache.toString());
    environment.put("KCACHE_HIP_LIBRARY", library.toString());
    environment.putIfAbsent("RUSTC_BOOTSTRAP", "1");
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-Djna.tmpdir=" + directory,
            // No log: it tells which compiler serves, which depends on the machine.
            "-Djava.util.logging.config.file=/dev/null",
            "-cp",
            System.getProperty("java.class.path"),
            program.toString(),
            examples.toString()));
    command.addAll(languages);
    return Finished.run(command, directory, environment);
  }

  /** Returns what the program prints if all kernels end alike. */
  private static String lines(String vadd, String matmul, String processor) {
    return LANGUAGES.stream()
        .map(language -> (language.equals("s") ? "." + processor : "") + "." + language)
        .flatMap(
            end ->
                Stream.of(
                    vadd + EXAMPLES.resolve("vadd/vadd" + end),
                    matmul + EXAMPLES.resolve("matmul/matmul" + end)))
        .map(line -> line + "\n")
        .collect(joining());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1100"})
  void kernelsOfEachLanguage_giveTheRightResults(String processor) throws IOException {
    assertThat(launch(PROGRAM, EXAMPLES, processor))
        .isEqualTo(new Finished(0, lines("right   ", "right   ", processor)));
  }

  /** The program with its arguments in another order, to which neither side has an objection. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          columns, rows, columns, depth | columns, columns, rows, depth | 'right   ' | 'wrong   '
          b, count, count               | b, count, count / 2           | 'wrong   ' | 'right   '
          new Dim3(blocks, rows, 1)     | new Dim3(rows, blocks, 1)     | 'right   ' | 'wrong   '
          new Dim3(THREADS, 1, 1)       | new Dim3(THREADS / 2, 1, 1)   | 'right   ' | 'wrong   '
          """)
  void wrongLaunch_givesWrongResultsInEachLanguage(
      String part, String other, String vadd, String matmul) throws IOException {
    assertThat(launch(changed(part, other), EXAMPLES, "gfx90a"))
        .isEqualTo(new Finished(1, lines(vadd, matmul, "gfx90a")));
  }

  @Test
  void matricesInAnotherOrder_areWrongOrFault() throws IOException {
    Finished launch = launch(changed("of(a, b, c)", "of(a, c, b)"), EXAMPLES, "gfx90a");

    assertThat(launch.status()).isEqualTo(1);
    assertThat(launch.output()).startsWith("wrong   ").contains("failed  ").doesNotContain("right");
  }

  private Path changed(String part, String other) throws IOException {
    String text = Files.readString(PROGRAM);
    assertThat(text).containsOnlyOnce(part);
    return Files.writeString(directory.resolve("Launch.java"), text.replace(part, other));
  }

  @Test
  void kernelThatDoesNotCompile_isToldAndTheOthersRun() throws IOException {
    for (String kernel : List.of("vadd", "matmul")) {
      Path copy = Files.createDirectory(directory.resolve(kernel)).resolve(kernel + ".ll");
      Files.copy(EXAMPLES.resolve(kernel).resolve(copy.getFileName()), copy);
    }
    Path broken = directory.resolve("vadd/vadd.ll");
    Files.writeString(broken, Files.readString(broken).replace("fadd float", "fadd flaot"));

    Finished launch = launch(PROGRAM, directory, "gfx90a");

    assertThat(launch.status()).isEqualTo(1);
    assertThat(launch.output().lines())
        .contains(
            "absent  " + directory.resolve("vadd/vadd.hip"),
            "failed  " + broken,
            "right   " + directory.resolve("matmul/matmul.ll"))
        .anyMatch(line -> line.startsWith("examples: ") && line.contains("vadd.ll:21:15: error: "));
  }

  @Test
  void rustWithoutARustc_isWhatTheMachineLacks() throws IOException {
    Map<String, String> variables =
        Map.of("PATH", "/var/empty", "KCACHE_RUSTC", "", StandIn.ENVIRONMENT, "devices=gfx1030");
    Path library = StandIn.build(Version.HIP_6_4).library();

    Finished launch = launch(PROGRAM, EXAMPLES, List.of("rs"), library, variables);

    assertThat(launch.status()).isEqualTo(3);
    assertThat(launch.output()).contains("examples: ", "no rustc in PATH; install one");
  }

  @Test
  void noGpu_isOneLineAndExitCode3() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));

    for (Finished launch :
        List.of(
            launch(PROGRAM, EXAMPLES, ""), launch(PROGRAM, EXAMPLES, LANGUAGES, empty, Map.of()))) {
      assertThat(launch.status()).isEqualTo(3);
      assertThat(launch.output().lines())
          .singleElement()
          .asString()
          .startsWith("examples: ")
          .doesNotContain("Exception");
    }
  }
}
