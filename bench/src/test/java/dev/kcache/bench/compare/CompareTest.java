// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir private Path directory;

  private int run(String... arguments) {
    return Compare.run(
        List.of(arguments),
        directory,
        Map.of("PATH", directory.toString()),
        new PrintStream(out, true, UTF_8),
        new PrintStream(err, true, UTF_8));
  }

  @Test
  void help_goesToStandardOutput() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString(UTF_8))
        .startsWith("usage: bench/compare")
        .contains("cold,warm,remote,trace,single,start,process,growth");
    assertThat(err.toString(UTF_8)).isEmpty();
  }

  @Test
  void wrongArgument_isOneLine() {
    assertThat(run("--only", "hot")).isEqualTo(2);
    assertThat(err.toString(UTF_8)).startsWith("compare: there is no group 'hot'").hasLineCount(1);
  }

  @Test
  void noHipcc_isOneLineThatTellsWhatToDo() {
    assertThat(run()).isEqualTo(3);
    assertThat(err.toString(UTF_8))
        .contains("no hipcc")
        .contains("scripts/modern-rocm")
        .hasLineCount(1);
  }
}
