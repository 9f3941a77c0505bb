// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statistics from the shell, over several runs of the command. */
class StatsCommandTest extends CommandTestBase {
  private Path good;

  @BeforeEach
  void prewarmTwice() {
    good = command.kernel("good.hip");
    Path broken = command.kernel("broken.hip", "BROKEN");
    command.run("prewarm", good, broken, "--arch", "gfx90a,gfx1030");
    command.run("prewarm", good, "--arch", "gfx90a");
  }

  @Test
  void runs_areSummedUp() {
    Run run = succeeds("stats", "--kernels");

    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines().map(line -> line.replaceAll(" {2,}", "|")))
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("hit rate|20.0 % of 5 requests"),
            line -> assertThat(line).matches("since\\|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"),
            line -> assertThat(line).isEqualTo("hits|1 (0 in memory, 1 on disk)"),
            line -> assertThat(line).isEqualTo("misses|4"),
            line -> assertThat(line).isEqualTo("compiles|2, 2 failed"),
            line -> assertThat(line).isEqualTo("not kept|0"),
            line -> assertThat(line).startsWith("spent|"),
            line -> assertThat(line).isEqualTo("saved|1.5 s"),
            line -> assertThat(line).matches("entries\\|2, \\d.* kB"),
            line -> assertThat(line).matches("on disk\\|\\d.* kB"),
            line -> assertThat(line).startsWith("probes|"),
            line -> assertThat(line).isEqualTo("compiler|0 B"),
            line -> assertThat(line).isEmpty(),
            line ->
                assertThat(line)
                    .isEqualTo("target|hits|misses|compiles|failed|spent|saved|entries|size"),
            line -> assertThat(line).matches("gfx1030\\|0\\|2\\|1\\|1\\|.*\\|0 ms\\|1\\|.* kB"),
            line -> assertThat(line).matches("gfx90a\\|1\\|2\\|1\\|1\\|.*\\|1.5 s\\|1\\|.* kB"),
            line -> assertThat(line).isEmpty(),
            line ->
                assertThat(line).isEqualTo("target|hits|misses|compiles|failed|spent|saved|kernel"),
            line -> assertThat(line).startsWith("gfx1030|0|1|0|1|").endsWith("|broken.hip"),
            line -> assertThat(line).startsWith("gfx1030|0|1|1|0|").endsWith("|good.hip"),
            line -> assertThat(line).startsWith("gfx90a|0|1|0|1|").endsWith("|broken.hip"),
            line -> assertThat(line).startsWith("gfx90a|1|1|1|0|").endsWith("|good.hip"));
  }

  /** Each day has a bar by its requests, today's is the last. */
  @Test
  void lastDays_areALineOfBarsOnATerminalOnly() throws IOException {
    command.run("stats", "--reset");
    command.now = Instant.parse("2026-11-27T23:59:59Z");
    long today = LocalDate.parse("2026-11-27").toEpochDay();
    Files.createDirectories(command.cache.resolve("usage"));
    Files.writeString(
        usageFile(),
        "kcache.usage/1\nsince 0\nday %d 900 0\nday %d 1 3\nday %d 5 3\nday %d 7 1\nend\n"
            .formatted(today - 14, today - 13, today - 1, today));
    String piped = command.run("stats").out();
    command.columns = 80;
    command.outIsTerminal = true;

    assertThat(command.run("stats").out())
        .contains("\nlast 14 days  ▄···········██  hit rate 65.0 %\n");
    assertThat(piped).doesNotContain("last 14 days");

    command.now = Instant.parse("2026-12-20T00:00:00Z");
    assertThat(command.run("stats").out()).doesNotContain("last 14 days");
  }

  @Test
  void json_hasTheRequestsOfEachDay() throws IOException {
    command.run("stats", "--reset");
    Files.writeString(usageFile(), "kcache.usage/1\nsince 0\nday 20000 5 3\nend\n");

    assertThat(command.run("stats", "--json").out())
        .contains(",\"days\":[{\"day\":\"2024-10-04\",\"hits\":5,\"misses\":3}],\"targets\":[");
  }

  private Path usageFile() throws IOException {
    return Files.createDirectories(command.cache.resolve("usage"))
        .resolve("0123456789abcdef0123456789abcdef");
  }

  @Test
  void kernels_areShownOnlyIfAskedFor() {
    assertThat(command.run("stats").out()).contains("gfx90a").doesNotContain("good.hip");
  }

  /** The format is strict: HELP and TYPE before the samples of a metric, a line feed at the end. */
  @Test
  void prometheus_hasASampleForEachTarget() {
    Run run = command.run("stats", "--prometheus");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .startsWith(
            """
            # HELP kcache_requests_total Requests, by what answered them.
            # TYPE kcache_requests_total counter
            kcache_requests_total{result="memory_hit",target="gfx1030"} 0
            kcache_requests_total{result="disk_hit",target="gfx1030"} 0
            kcache_requests_total{result="remote_hit",target="gfx1030"} 0
            kcache_requests_total{result="miss",target="gfx1030"} 2
            kcache_requests_total{result="memory_hit",target="gfx90a"} 0
            kcache_requests_total{result="disk_hit",target="gfx90a"} 1
            kcache_requests_total{result="remote_hit",target="gfx90a"} 0
            kcache_requests_total{result="miss",target="gfx90a"} 2
            """)
        .contains(
            "kcache_compiles_total{result=\"failed\",target=\"gfx90a\"} 1\n",
            "kcache_saved_seconds_total{target=\"gfx90a\"} 1.5\n",
            "# TYPE kcache_disk_bytes gauge\nkcache_disk_bytes ")
        .endsWith("\n");
    assertThat(run.out().lines())
        .allMatch(
            line ->
                line.startsWith("# ")
                    || line.matches(
                        "kcache_[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")?})? [0-9.E]+"));
  }

  @Test
  void json_hasSumsTargetsAndKernels() {
    assertThat(command.run("stats", "--json").out())
        .startsWith("{\"schema\":\"kcache.stats/1\",\"directory\":\"" + command.cache + "\",")
        .contains(
            "\"total\":{\"memoryHits\":0,\"diskHits\":1,\"misses\":4,\"compiles\":2,"
                + "\"failedCompiles\":2,\"notKept\":0,",
            "\"savedSeconds\":1.5,\"remoteHits\":0,\"uploads\":0,\"droppedUploads\":0,\"entries\":2,",
            "\"targets\":[{\"target\":\"gfx1030\",",
            "\"kernels\":[{\"target\":\"gfx1030\",\"source\":\"broken.hip\",");
  }

  @Test
  void unpackedCompiler_showsWhatItTakesAndStaysInAClear() throws IOException {
    Path library = command.cache.resolve("toolchains/llvm-20/lib/libLLVM.so");
    Files.createDirectories(library.getParent());
    Files.write(library, new byte[200_000]);

    // In blocks, with three directories.
    assertThat(command.run("stats").out()).contains("compiler  213.0 kB");
    assertThat(command.run("stats", "--json").out()).contains("\"toolchainsSize\":212992");
    command.run("clear");
    assertThat(library).exists();
  }

  /** More than get a row of their own. */
  @Test
  void targets_areRightHoweverManyKernelsThereAre() {
    command.run("stats", "--reset");
    command.environment.put("KCACHE_POLICY", "sealed");
    List<Object> sources = new ArrayList<>(List.of("prewarm", "--arch", "gfx90a,gfx1030"));
    for (int i = 0; i < 2_100; i++) {
      sources.add(command.kernel(i + ".hip", String.valueOf(i)));
    }

    command.run(sources.toArray());

    assertThat(command.run("stats").out().replaceAll(" {2,}", "|"))
        .contains("\nmisses|4200\n")
        .contains("\ngfx1030|0|2100|0|0|", "\ngfx90a|0|2100|0|0|")
        .doesNotContain("\nothers|");
  }

  @Test
  void cacheThatCannotBeRead_isOneLineAndCodeThree() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    put("KCACHE_DIR", file.toString());
    for (String verb : List.of("list", "stats")) {
      Run run = command.run(verb);

      assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .startsWith("kcache: cache directory " + file + " is not a directory; ")
          .hasLineCount(1);
      assertThat(command.run(verb, "--json").out()).startsWith("{\"schema\":\"kcache.error/1\"");
    }
  }

  @Test
  void listOfALayer_isPrintedBesideADirectoryThatCannotBeRead() throws IOException {
    put(
        "KCACHE_PATH",
        command.cache.toString(),
        "KCACHE_DIR",
        Files.createFile(directory.resolve("file")).toString());

    Run run = ends(ExitCode.UNAVAILABLE, "list");

    assertThat(run.out()).hasLineCount(2);
    assertThat(run.err()).hasLineCount(1).contains("is not a directory");
  }

  @Test
  void reset_showsWhatWasCountedAndBeginsAnew() {
    assertThat(command.run("stats", "--reset").out()).contains("2, 2 failed");

    assertThat(command.run("stats").out())
        .startsWith("hit rate  no requests\nsince     nothing has been counted\n");
    command.run("prewarm", good, "--arch", "gfx90a");
    assertThat(command.run("stats").out()).contains("hits      1 (0 in memory, 1 on disk)");
  }

  @Test
  void clear_keepsWhatWasCounted() {
    command.run("clear");

    assertThat(command.run("stats").out()).contains("2, 2 failed", "entries   0, 0 B");
  }

  @Test
  void hitsInALayer_areCountedInTheOwnDirectory() {
    Path layer = directory.resolve("layer");
    command.run("stats", "--reset");
    command.run("prewarm", good, "--arch", "gfx90a", "--cache-dir", layer);
    put("KCACHE_PATH", layer.toString());
    command.run("clear");
    command.run("prewarm", good, "--arch", "gfx90a");

    assertThat(command.run("stats").out()).contains("hits      1 (", "compiles  1, 0 failed");
    assertThat(layer.resolve("usage")).doesNotExist();
  }

  @Test
  void missingDirectory_hasNothingAndIsNotMade() {
    Path missing = directory.resolve("missing");
    put("KCACHE_DIR", missing.toString());

    assertThat(command.run("stats").out())
        .startsWith("hit rate  no requests\nsince     nothing has been counted\n");
    assertThat(Files.exists(missing)).isFalse();
  }
}
