// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLinesTest {
  private static final Path TEMPORARY = Path.of("/tmp/t");

  /** An option may be as long as the system takes. */
  @ParameterizedTest
  @ValueSource(strings = {"x", "\\\\", "\\\""})
  void word_mayBeLong(String repeated) {
    String printed = " \"/usr/bin/clang\" \"-DX=" + repeated.repeat(100_000) + "\" \"-cc1\"\n";

    List<String> command = CommandLines.parse(printed, TEMPORARY).commands().get(0);

    assertThat(command).hasSize(3).startsWith("/usr/bin/clang").endsWith("-cc1");
    assertThat(command.get(1)).hasSize("-DX=".length() + 100_000);
  }

  @Test
  void commandThatIsCut_keepsItsWholeWords() {
    String printed = " \"/usr/bin/clang\" \"-cc\n \"/usr/bin/cl\n";

    assertThat(CommandLines.parse(printed, TEMPORARY).commands())
        .containsExactly(List.of("/usr/bin/clang"));
  }
}
