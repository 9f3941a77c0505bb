// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareOptionsTest {
  @Test
  void nothing_measuresEverything() {
    CompareOptions options = CompareOptions.parse(List.of());

    assertThat(options.groups()).containsExactly(Group.values());
    assertThat(options.runs()).isEqualTo(5);
    assertThat(options.pairs()).isEqualTo(Integer.MAX_VALUE);
    assertThat(options.keep()).isEmpty();
  }

  @Test
  void options_areTakenInAnyOrder() {
    CompareOptions options =
        CompareOptions.parse(
            List.of(
                "--svg",
                "p.svg",
                "--pairs",
                "8",
                "--only",
                "warm,cold",
                "--json",
                "t.json",
                "--keep",
                "/k",
                "--runs",
                "1"));

    assertThat(options.groups()).containsExactly(Group.COLD, Group.WARM);
    assertThat(options.runs()).isEqualTo(1);
    assertThat(options.pairs()).isEqualTo(8);
    assertThat(options.keep()).contains(Path.of("/k"));
    assertThat(options.json()).contains(Path.of("t.json"));
    assertThat(options.svg()).contains(Path.of("p.svg"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--jsn | unknown argument '--jsn'; see --help",
        "--json | --json needs a value; see --help",
        "--runs 0 | --runs takes a number from 1 to 999999, not '0'",
        "--pairs many | --pairs takes a number from 1 to 999999, not 'many'",
        "--only hot | there is no group 'hot'; there are cold,warm,remote,trace,single,start,process,growth",
        "--only cold, | there is no group ''; there are cold,warm,remote,trace,single,start,process,growth"
      })
  void wrongArgument_isToldInOneLine(String arguments, String message) {
    assertThatThrownBy(() -> CompareOptions.parse(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
