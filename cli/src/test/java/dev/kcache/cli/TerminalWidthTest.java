// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is printed on a narrow terminal. */
class TerminalWidthTest extends CommandTestBase {
  @ParameterizedTest
  @ValueSource(ints = {80, 40})
  void problem_isWrappedOnATerminalAndWholeElsewhere(int columns) {
    Object[] wrong = {"revoke", "zzz", "--reason", "none"};
    String whole = ends(ExitCode.USAGE, wrong).err();
    command.columns = columns;

    String wrapped = ends(ExitCode.USAGE, wrong).err();

    assertThat(whole.lines()).first().asString().hasSizeGreaterThan(80);
    assertThat(wrapped.lines()).allMatch(line -> line.length() < columns);
    assertThat(wrapped).startsWith("kcache: ").containsPattern("\\n {8}\\S");
    assertThat(wrapped.replaceAll("\n {8}", " ")).isEqualTo(whole);
  }

  @Test
  void list_leavesOutWholeColumnsAndCutsNoUnit() {
    command.run("prewarm", command.kernel("a_long_name_kernel.hip"), "--arch", "gfx90a");
    onATerminal(40);

    assertThat(succeeds("list").out())
        .isEqualTo(
            """
            target  label  source         size    …
            gfx90a  5.2    …e_kernel.hip  3.5 kB  …
            """);
  }
}
