// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExplainCommandTest {
  @TempDir Path directory;
  private CommandRunner kcache;

  @BeforeEach
  void makeRunner() {
    kcache = new CommandRunner(directory);
  }

  @Test
  void miss_saysWhatDiffersFromTheNearestEntry() {
    Path source = kcache.write("k.hip", "#include \"c.h\"\n__global__ void k() {}\n");
    kcache.write("c.h", "#define N 1\n");
    kcache.run("prewarm", source, "--arch", "gfx90a");
    kcache.write("c.h", "#define N 2\n");

    Run run = kcache.run("explain", source, "--arch", "gfx90a", "-D", "X=1");

    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .contains("k.hip for gfx90a: miss".replace("k.hip", source.toString()))
        .anyMatch(line -> line.matches("  request    [0-9a-f]{64}"))
        .anyMatch(line -> line.matches("  file       src/c\\.h  [0-9a-f]{12}"))
        .contains("  options    -O3 -std=c++17 -DX=1")
        .anyMatch(line -> line.startsWith("  nearest entry: "))
        .endsWith("    header 'c.h' changed", "    option '-DX=1' is new");
  }

  @ParameterizedTest
  @ValueSource(ints = {80, 40})
  void onATerminal_linesAreWrappedOrShortened(int columns) {
    String name = "a/directory/with/a/name/that/is/longer/than/a/line/kernel.hip";
    Path source = kcache.kernel(name);
    kcache.run("prewarm", source, "--arch", "gfx90a", "-D", "A_LONG_NAME=1", "-D", "B_LONG_NAME=1");
    Object[] explain = {"explain", source, "--arch", "gfx1030", "-I", source.getParent()};
    String piped = kcache.run(explain).out();
    kcache.columns = columns;
    kcache.outIsTerminal = true;

    String fitted = kcache.run(explain).out();
    Object[] wide = Arrays.copyOf(explain, explain.length + 1);
    wide[explain.length] = "--wide";

    assertThat(fitted.lines()).allMatch(line -> line.length() < columns);
    assertThat(words(fitted))
        .contains(
            "…", "kernel.hip for gfx1030: miss", "  nearest entry: ", " by /fake/hipcc, HIP 5.2.1 ")
        .endsWith(" option '-DB_LONG_NAME=1' is gone target gfx90a → gfx1030 ");
    assertThat(kcache.run(wide).out()).isEqualTo(piped);
    kcache.outIsTerminal = false;
    assertThat(kcache.run(explain).out()).isEqualTo(piped);
  }

  /** Returns the text with each line end and its indentation as a blank. */
  private static String words(String text) {
    return text.replaceAll("\\n +(?!nearest)|\\n", " ");
  }

  @Test
  void hit_isToldWithItsEntry_andNothingIsCompiled() {
    Path source = kcache.kernel("k.hip");
    kcache.run("prewarm", source, "--arch", "gfx90a");
    int compiles = kcache.toolchain.jobs.size();

    Run run = kcache.run("explain", source, "--arch", "gfx90a", "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .startsWith("{\"schema\":\"kcache.explain/1\",\"requests\":[{\"source\":")
        .contains("\"hit\":true", "\"hits\":[{\"directory\":\"" + kcache.cache + "\"")
        .contains("\"nearest\":[]");
    assertThat(kcache.toolchain.jobs).hasSize(compiles);
  }

  @Test
  void emptyCache_hasNoNearestEntry() throws IOException {
    Files.createDirectory(kcache.cache);
    Run run = kcache.run("explain", kcache.kernel("k.hip"), "--arch", "gfx90a");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .endsWith("  no entry has this name or one of these files in '" + kcache.cache + "'\n");
  }

  @Test
  void missWithoutACompiler_saysWhyThereIsNone() {
    kcache.realCompiler = true;
    kcache.environment.put("KCACHE_COMPILER", "/nowhere/hipcc");
    Run run = kcache.run("explain", kcache.kernel("k.hip"), "--arch", "gfx90a");
    assertThat(run.out())
        .contains(
            "\n  no compiler: KCACHE_COMPILER=/nowhere/hipcc: not an executable file; set it to");
  }

  @Test
  void missingDirectory_isNamed() {
    Path missing = directory.resolve("mistyped");

    Run run =
        kcache.run("explain", kcache.kernel("k.hip"), "--arch", "gfx90a", "--cache-dir", missing);

    assertThat(run.out())
        .endsWith(
            "  no entry has this name or one of these files in '"
                + missing
                + "' (does not exist)\n");
  }

  @Test
  void missWithARemote_saysThatItWasNotAsked() {
    Path source = kcache.kernel("k.hip");
    String line = "  remotes were not asked; a request looks there before it is compiled\n";
    String[] arguments = {"explain", source.toString(), "--arch", "gfx90a"};
    Run named = kcache.run("explain", source, "--arch", "gfx90a", "--remote", "redis://a.example");
    assertThat(named.out()).endsWith(line);
    kcache.environment.put("KCACHE_REMOTE", "redis://a.example");
    assertThat(kcache.run((Object[]) arguments).out()).endsWith(line);
    kcache.run("prewarm", source, "--arch", "gfx90a");
    assertThat(kcache.run((Object[]) arguments).out()).doesNotContain("remotes");
  }
}
