// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Removal from the shell: what goes, what stays, and when it asks. */
class ClearCommandTest extends CommandTestBase {
  @BeforeEach
  void prewarm() {
    succeeds("prewarm", command.kernel("a.hip"), "--arch", "gfx90a,gfx1030");
  }

  @Test
  void everything_goesWithoutAskingWhereThereIsNoTerminal() throws IOException {
    Files.createDirectories(command.cache.resolve("memo/0123456789abcdef"));
    Files.createDirectories(command.cache.resolve("quarantine"));

    Path foreign = Files.writeString(command.cache.resolve("memo/precious"), "precious");

    Run run = succeeds("clear");

    assertThat(run.err()).isEmpty();
    assertThat(foreign).hasContent("precious");
    assertThat(foreign.resolveSibling("0123456789abcdef")).doesNotExist();
    assertThat(run.out())
        .matches("removed 2 entries \\(.* kB on disk\\) from '" + command.cache + "'\n");
    assertThat(names(command.cache))
        .containsOnly("lock", "beats", "swept", "collected", "usage", "memo", "quarantine");
    assertThat(command.run("prewarm", directory.resolve("a.hip"), "--arch", "gfx90a").out())
        .startsWith("compiled");
  }

  @Test
  void terminal_asksAndTakesNothingButYesForYes() {
    command.columns = 80;
    for (String answer : List.of("", "\n", "n\n", "yesterday\n")) {
      command.answer = answer;
      Run run = command.run("clear");
      assertThat(run.exitCode()).isZero();
      assertThat(run.err())
          .startsWith("kcache: remove 2 entries (")
          .endsWith(" from '" + command.cache + "'? [y/N] ");
      assertThat(run.out()).startsWith("did not remove 2 entries");
      assertThat(entries()).isEqualTo(2);
    }
    command.answer = "Y\n";
    assertThat(command.run("clear", "--arch", "gfx90a").out()).startsWith("removed 1 entry");
    assertThat(entries()).isEqualTo(1);
    command.answer = "";
    assertThat(command.run("clear", "--yes").err()).isEmpty();
    assertThat(entries()).isZero();
  }

  @Test
  void nothing_isSaidAndNotAsked() {
    command.run("clear");
    command.columns = 80;

    Run run = command.run("clear");

    assertThat(run).isEqualTo(new Run(0, "nothing to remove from '" + command.cache + "'\n", ""));
    assertThat(command.run("clear", "--dry-run").out()).isEqualTo(run.out());
    assertThat(command.run("clear", "--arch", "gfx90a").out()).isEqualTo(run.out());
  }

  @Test
  void filesOfNoEntry_areRemovedUnasked() throws IOException {
    command.run("clear");
    Path memo = Files.createDirectories(command.cache.resolve("memo/0123456789abcdef"));
    command.columns = 80;

    Run run = command.run("clear");

    assertThat(run)
        .isEqualTo(
            new Run(
                0,
                "removed files of no entry (4.1 kB on disk) from '" + command.cache + "'\n",
                ""));
    assertThat(memo).doesNotExist();
  }

  @Test
  void amount_isThatOfStatsAndList() throws IOException {
    Files.createDirectories(command.cache.resolve("memo/0123456789abcdef"));
    Path quarantine = Files.createDirectories(command.cache.resolve("quarantine"));
    Files.writeString(quarantine.resolve("0".repeat(32) + "-x.co"), "damaged");
    Path layer = directory.resolve("layer");
    command.run("prewarm", command.kernel("c.hip"), "--arch", "gfx90a", "--cache-dir", layer);
    put("KCACHE_PATH", layer.toString());

    String size = onDisk();

    assertThat(size).matches("[1-9].* kB");
    assertThat(command.run("list").out().lines().filter(line -> !line.endsWith("layer")))
        .hasSize(2);
    assertThat(command.run("stats").out()).containsPattern("\nentries +2, ");
    assertThat(command.run("clear", "--dry-run").out())
        .startsWith("would remove 2 entries (" + size + " on disk) from ");
    assertThat(command.run("clear").out()).startsWith("removed 2 entries (" + size + " on disk)");
    assertThat(onDisk()).isEqualTo("0 B");
    assertThat(command.run("stats").out()).containsPattern("\nprobes +0 B\n");
  }

  private String onDisk() {
    String stats = command.run("stats").out();
    return stats.replaceFirst("(?s).*\non disk +([^\n]*)\n.*", "$1");
  }

  @Test
  void dryRun_removesNothing() {
    assertThat(command.run("clear", "--dry-run").out()).startsWith("would remove 2 entries (");
    assertThat(entries()).isEqualTo(2);
  }

  @Test
  void target_isTheOnlyOneToGo() {
    assertThat(command.run("clear", "--arch", "gfx1030").out()).startsWith("removed 1 entry");

    assertThat(command.run("list").out()).startsWith("gfx90a ").hasLineCount(1);
    assertThat(command.run("verify").exitCode()).isZero();
  }

  @Test
  void olderThan_countsFromTheLastUse() throws IOException {
    Path record = record("gfx90a-5.2");
    CommandRunner.age(record, Duration.ofDays(30).minusMinutes(5));
    assertThat(command.run("clear", "--older-than", "30d").out())
        .startsWith("nothing to remove from ");

    CommandRunner.age(record, Duration.ofDays(30).plusMinutes(5));
    assertThat(command.run("clear", "--older-than", "30d", "--arch", "gfx1030").out())
        .startsWith("nothing to remove from ");
    assertThat(command.run("clear", "--older-than", "30d").out()).startsWith("removed 1 entry");
    assertThat(record).doesNotExist();
    assertThat(entries()).isEqualTo(1);
  }

  @Test
  void stale_areThoseOfAnotherCompiler() {
    assertThat(command.run("clear", "--toolchain", "stale").out())
        .startsWith("nothing to remove from ");

    command.toolchain.content = "a newer one of the same version";
    command.run("prewarm", directory.resolve("a.hip"), "--arch", "gfx90a");
    assertThat(entries()).isEqualTo(3);
    assertThat(command.run("clear", "--toolchain", "stale").out()).startsWith("removed 2 entries");
    assertThat(command.run("prewarm", directory.resolve("a.hip"), "--arch", "gfx90a").out())
        .startsWith("hit");
  }

  @ParameterizedTest
  @CsvSource({"llvm20.1, not hipcc, nothing to remove from ", "6.4, fake, removed 2 entries"})
  void stale_areThoseOfAnotherVersionButNotOfAnotherKind(
      String label, String content, String told) {
    command.toolchain.label = label;
    command.toolchain.content = content;

    assertThat(command.run("clear", "--toolchain", "stale").out()).startsWith(told);
  }

  @Test
  void stale_withoutACompiler_isOneLineAndCodeThree() {
    command.toolchain.missing = true;

    Run run = command.run("clear", "--toolchain", "stale");

    assertThat(run).isEqualTo(new Run(3, "", "kcache: " + FakeToolchain.MISSING + "\n"));
    assertThat(entries()).isEqualTo(2);
  }

  @Test
  void stale_compilerThatDoesNotAnswer_removesNothing() {
    command.toolchain.unaskable = true;

    Run run = command.run("clear", "--toolchain", "stale");

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).startsWith("kcache: ");
    assertThat(entries()).isEqualTo(2);
  }

  @Test
  void wrongArguments_areRefusedAndRemoveNothing() {
    for (List<String> wrong :
        List.of(
            List.of("--older-than", "30"),
            List.of("--older-than", "-1d"),
            List.of("--toolchain", "6.4"),
            List.of("--arch", "gfx"))) {
      Run run = command.run(Stream.concat(Stream.of("clear"), wrong.stream()).toArray());
      assertThat(run.exitCode()).as("%s", wrong).isEqualTo(ExitCode.USAGE);
      assertThat(run.err()).hasLineCount(1);
    }
    assertThat(entries()).isEqualTo(2);
  }

  @Test
  void missingDirectory_isNothingToRemove() {
    Path missing = directory.resolve("missing");
    put("KCACHE_DIR", missing.toString());

    Run run = succeeds("clear");

    assertThat(run.err())
        .isEqualTo("kcache: nothing to remove: '" + missing + "' does not exist\n");
    assertThat(run.out()).isEqualTo("nothing to remove from '" + missing + "'\n");
    assertThat(missing).doesNotExist();
  }

  @Test
  void interrupt_isOneLineAndCode130() {
    command.interrupts = CommandRunner.AT_ONCE;

    Run run = ends(ExitCode.INTERRUPTED, "clear");

    assertThat(run.out()).startsWith("removed 0 entries (0 B on disk) from ");
    assertThat(run.err()).isEqualTo("kcache: interrupted; run it again to remove the rest\n");
    assertThat(command.run("clear", "--json").out()).contains("\"interrupted\":true,");
    assertThat(entries()).isEqualTo(2);
  }

  @Test
  void json_tellsWhatWent() {
    assertThat(command.run("clear", "--json", "--dry-run").out())
        .matches(
            "\\{\"schema\":\"kcache.clear/1\",\"directory\":\"%s\",\"dryRun\":true,"
                    .formatted(command.cache)
                + "\"interrupted\":false,\"removed\":false,\"entries\":2,\"size\":[1-9][0-9]+}\n");
    assertThat(command.run("clear", "--json").out()).contains("\"removed\":true,\"entries\":2,");
  }

  private long entries() {
    return command.run("list").out().lines().count();
  }

  private Path record(String target) {
    return CommandRunner.files(command.cache.resolve(target), ".json").get(0);
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
