// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Command lines and jobs by Wine's functions: {@code scripts/wine arguments} runs this. */
@Tag("wine")
class WineArgumentsTest {
  private static final int COMMANDS = 50;

  @TempDir static Path directory;

  @BeforeAll
  static void build() throws Exception {
    String source =
        Path.of(
                Objects.requireNonNull(WineArgumentsTest.class.getResource("/windows/arguments.c"))
                    .toURI())
            .toString();
    run(
        List.of("x86_64-w64-mingw32-gcc", "-O", "-Wall", "-Werror", "-municode"),
        List.of("-o", "arguments.exe", source, "-lshell32"));
    run(wine(), List.of("wineboot", "--init"));
  }

  @AfterAll
  static void endWine() throws Exception {
    run(wine(), List.of("wineboot", "--kill"));
  }

  /** By {@code CommandLineToArgvW}, and by the C library as a program's own arguments. */
  @Test
  void linesOfJava_giveTheWordsOfTheCommand() throws Exception {
    Random random = new Random(7);
    List<String> lines = new ArrayList<>();
    List<List<String>> expected = new ArrayList<>();
    for (int i = 0; i < COMMANDS; i++) {
      List<String> command = WindowsCommandLineTest.randomCommand(random);
      List<String> words = WindowsCommandLine.words(command);
      lines.add(WindowsLine.ofJava17(words));
      lines.add(WindowsLine.ofJava25(words));
      // Each line by both parsers.
      expected.addAll(List.of(command, command, command, command));
    }
    Files.writeString(directory.resolve("in"), String.join("\n", lines) + "\n");

    run(wine(), List.of("arguments.exe", "lines", "in", "out"));

    List<List<String>> read =
        Files.readString(directory.resolve("out"), UTF_8)
            .lines()
            .map(line -> Arrays.asList(line.split("\u001f", -1)))
            .map(words -> words.subList(0, words.size() - 1))
            .toList();
    assertThat(read).isEqualTo(expected);
  }

  @Test
  void job_thatIsClosed_endsAProcessAndItsChild() throws Exception {
    run(wine(), List.of("arguments.exe", "job"));
  }

  private static List<String> wine() {
    return List.of(System.getProperty("kcache.wine", "wine"));
  }

  private static void run(List<String> program, List<String> arguments)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile(directory, "run", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(Stream.concat(program.stream(), arguments.stream()).toList());
    builder.environment().put("WINEPREFIX", Path.of("target/wine").toAbsolutePath().toString());
    builder.environment().put("WINEDEBUG", "-all");
    builder.directory(directory.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as("%s", Files.readString(log)).isZero();
  }
}
