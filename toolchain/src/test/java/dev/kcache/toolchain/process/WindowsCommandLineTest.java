// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowsCommandLineTest {
  private static final String PROGRAM = "C:\\Program Files\\AMD\\ROCm\\6.4\\bin\\clang++.exe";
  private static final String[] PARTS = {
    "a", "b c", " ", "\"", "\\", "\\\\", "%PATH%", "^", "&", "|", "'", "<x>", "ü", "!", "--o=", "*"
  };

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\"",
        "\"\"",
        "\\",
        "a b\\",
        "\"a b\"",
        "-DX=\"a b\"",
        "\\\"\\",
        "x\"y\\"
      })
  void words_oddOnes_arriveUnchanged(String word) {
    assertArrives(List.of(PROGRAM, word, "next"));
  }

  @Test
  void words_randomOnes_arriveUnchanged() {
    Random random = new Random(41);
    for (int i = 0; i < 2_000; i++) {
      assertArrives(randomCommand(random));
    }
  }

  private static void assertArrives(List<String> command) {
    List<String> words = WindowsCommandLine.words(command);

    assertThat(WindowsLine.parse(WindowsLine.ofJava17(words))).isEqualTo(command);
    assertThat(WindowsLine.parse(WindowsLine.ofJava25(words))).isEqualTo(command);
  }

  /** Returns a command with five arguments of some parts each. */
  static List<String> randomCommand(Random random) {
    return Stream.concat(
            Stream.of(PROGRAM),
            IntStream.range(0, 5)
                .mapToObj(i -> random.ints(random.nextInt(6), 0, PARTS.length))
                .map(parts -> String.join("", parts.mapToObj(part -> PARTS[part]).toList())))
        .toList();
  }

  /** The parser is no better than its rules: these lines and words are Microsoft's examples. */
  @Test
  void parse_examplesOfMicrosoft_givesTheirWords() {
    assertThat(WindowsLine.parse("x \"abc\" d e")).containsExactly("x", "abc", "d", "e");
    assertThat(WindowsLine.parse("x a\\\\b d\"e f\"g h"))
        .containsExactly("x", "a\\\\b", "de fg", "h");
    assertThat(WindowsLine.parse("x a\\\\\\\"b c d")).containsExactly("x", "a\\\"b", "c", "d");
    assertThat(WindowsLine.parse("x a\\\\\\\\\"b c\" d e"))
        .containsExactly("x", "a\\\\b c", "d", "e");
  }

  @ParameterizedTest
  @ValueSource(strings = {"C:\\ROCm\\bin\\hipcc.bat", "C:\\ROCm\\bin\\HIPCC.CMD"})
  void words_batchFile_isRefused(String program) {
    assertThatThrownBy(() -> WindowsCommandLine.words(List.of(program, "--version")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            program
                + " is a batch file, whose arguments cmd.exe would change; name a .exe instead");
  }

  @Test
  void words_lineBreak_isRefused() {
    assertThatThrownBy(() -> WindowsCommandLine.words(List.of(PROGRAM, "-DX=a\nb")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a word with the control character 10 can't be passed to a program on Windows: -DX=a?b");
  }
}
