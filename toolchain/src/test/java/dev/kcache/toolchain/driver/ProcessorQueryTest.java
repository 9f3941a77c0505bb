// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Processor;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.ProcessorQuery;
import dev.kcache.toolchain.compile.TestQuery;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the question makes of a compiler's refusals, which are those of real ones. */
@Timeout(120)
class ProcessorQueryTest {
  private static final String UNKNOWN_BUT_GFX900_AND_942 =
      """
      for a; do
        case $a in
          --offload-arch=gfx900 | --offload-arch=gfx942) ;;
          --offload-arch=*) rc=1
            echo "clang: error: invalid target ID '${a#*=}'; format is a processor name followed by\
       an optional colon-delimited list of features followed by an enable/disable sign (e.g.,\
       'gfx908:sramecc+:xnack-')" >&2
        esac
      done
      if [ $rc ]; then exit 1; fi
      """;

  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path directory;

  @Test
  void ask_namesThatTheDriverDoesNotKnow_areLeftOut() throws IOException {
    assertThat(ask(UNKNOWN_BUT_GFX900_AND_942)).containsExactly(Processor.GFX900, Processor.GFX942);
    assertThat(Files.readAllLines(directory.resolve("runs")))
        .as("the generic, the rest twice, and the old")
        .hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({"GFX900, true", "GFX1100, false", "GFX9_GENERIC, false", "GFX600, false"})
  void askOfOne_isTheSameAnswerByOneRun(Processor processor, boolean compiles) throws IOException {
    boolean answer = query(UNKNOWN_BUT_GFX900_AND_942, LONG, query -> query.ask(processor));

    assertThat(answer).isEqualTo(compiles);
    assertThat(Files.readAllLines(directory.resolve("runs"))).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "clang: error: cannot find ROCm device library for gfx942; provide its path via"
            + " '--rocm-path' or '--rocm-device-lib-path', or pass '-nogpulib' to build without",
        "clang-22: error: unsupported HIP gpu architecture: gfx942",
        "hip_runtime.h:41:2: error: HIP is not supported on the specified GPU ARCH with wavefront"
            + " size 64\\n1 error generated when compiling for gfx942.",
        "a.h:1:2: warning: x\\n1 warning and 2 errors generated when compiling for gfx942.",
        "fatal error: error in backend: gfx942 is only available on code object version 6 or"
            + " better",
      })
  void ask_refusalThatNamesAProcessor_leavesItOut(String refusal) throws IOException {
    String script = "case $* in *gfx942*) printf '%b\\n' \"" + refusal + "\" >&2; exit 1;; esac\n";

    assertThat(ask(UNKNOWN_BUT_GFX900_AND_942 + script)).containsExactly(Processor.GFX900);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "echo 'ld.lld: error: out of memory' >&2; exit 1 | : ld.lld: error: out of memory",
        "echo 'Segmentation fault'; exit 139 | : Segmentation fault",
        "exit 1 | ''",
        "echo \"error: invalid target ID 'gfx900'\";"
            + " echo \"error: invalid target ID 'gfx942'\"; kill -s KILL 0"
            + " | : error: invalid target ID 'gfx900'",
        "printf \"fatal error: 'cmath' file not found\\n1 error generated when compiling for"
            + " gfx900.\\n1 error generated when compiling for gfx942.\\n\"; exit 1"
            + " | : fatal error: 'cmath' file not found",
        "echo 'error: invalid target ID '\\''gfx000'\\'''; exit 1 | : error: invalid target ID"
            + " 'gfx000'",
      })
  void ask_failureThatIsNotAboutAProcessor_isNoAnswer(String script, String said) {
    assertThatThrownBy(() -> ask(UNKNOWN_BUT_GFX900_AND_942 + script))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            directory
                + "/hipcc: it does not tell which processors it compiles for"
                + said
                + "; repair it, check ROCM_PATH and HIP_PATH, or set KCACHE_COMPILER to another");
  }

  @Test
  void ask_noProcessorLeft_isNoAnswer() {
    assertThatThrownBy(
            () ->
                ask(
                    UNKNOWN_BUT_GFX900_AND_942
                        + "for p in 900 942; do"
                        + " echo \"error: unsupported HIP gpu architecture: gfx$p\"; done; exit 1"))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageStartingWith(
            directory + "/hipcc: it compiles for none of the processors that are known here; ");
  }

  @Test
  void ask_compilerThatNeverEnds_isEndedAtTheLimit() {
    assertThatThrownBy(() -> ask("sleep 600", Duration.ofSeconds(1)))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageContaining("/hipcc: it did not end within 1 s and was ended; it said nothing; ");
  }

  private Set<Processor> ask(String script) throws IOException {
    return ask(script, LONG);
  }

  private Set<Processor> ask(String script, Duration limit) throws IOException {
    return query(script, limit, ProcessorQuery::ask);
  }

  private <T> T query(String script, Duration limit, Function<ProcessorQuery, T> question)
      throws IOException {
    Path program =
        Script.write(
            directory.resolve("hipcc"), "echo >>" + directory.resolve("runs") + "\n" + script);
    DialectFacts facts = DriverFacts.ofHipcc(program, new Environment(Map.of()));
    try (TestQuery query = new TestQuery(facts, directory)) {
      return question.apply(
          new ProcessorQuery(
              query.query(), limit, options -> List.of(program.toString(), "--genco")));
    }
  }
}
