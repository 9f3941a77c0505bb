// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GcCommandTest extends CommandTestBase {
  @BeforeEach
  void createRunner() {
    put("KCACHE_ARCH", "gfx90a");
  }

  @Test
  void gc_withinTheLimits_removesNothing() throws IOException {
    fill();
    List<Path> before = files();

    assertThat(succeeds("gc").out())
        .matches("removed 0 of 2 entries, freed 0 B of [\\d.]+ kB; at most 5\\.0 GB may stay\n");
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void gc_size_isThatOfStatsAndClearAndDoctor() throws IOException {
    fill();
    // What it remembers of the compiler is part of the cache.
    command.run("doctor");
    command.run("gc");

    String size = size("freed 0 B of ([^;]*B); ", "gc");
    assertThat(size("on disk +(.*B)\n", "stats")).isEqualTo(size);
    assertThat(size(": 2 entries, (.*?B), ", "doctor")).isEqualTo(size);
    assertThat(size("\\((.*B) on disk\\)", "clear", "--dry-run")).isEqualTo(size);
    assertThat(size("\\((.*B) on disk\\)", "clear", "--yes")).isEqualTo(size);
    assertThat(size("freed 0 B of ([^;]*B); ", "gc")).isEqualTo("0 B");
  }

  /** Returns what the pattern's group matches in the output of a command. */
  private String size(String pattern, Object... arguments) {
    String out = command.run(arguments).out();
    Matcher matcher = Pattern.compile(pattern).matcher(out);
    assertThat(matcher.find()).as(out).isTrue();
    return matcher.group(1);
  }

  @Test
  void gc_tooOld_removesThatAndLeavesTheRest() throws IOException {
    fill();
    age("a.hip", Duration.ofDays(91));

    Run run = command.run("gc", "--max-age", "90d");

    assertThat(run.out())
        .matches(
            "removed 1 of 2 entries, freed [\\d.]+ kB of [\\d.]+ kB; "
                + "at most 5\\.0 GB, unused for at most 90 days may stay\n");
    assertThat(command.run("list").out()).contains("b.hip").doesNotContain("a.hip");
    assertThat(command.run("prewarm", "--dry-run", directory.resolve("b.hip")).out())
        .contains("1 hit");
  }

  @Test
  void gc_tooLarge_removesTheLeastRecentlyUsed() throws IOException {
    fill();
    age("a.hip", Duration.ofHours(5));
    put("KCACHE_MAX_SIZE", "24kB");

    assertThat(command.run("gc").out()).startsWith("removed 1 of 2 entries, ");
    assertThat(command.run("list").out()).contains("b.hip").doesNotContain("a.hip");
  }

  @Test
  void gc_dryRun_tellsTheSameAndRemovesNothing() throws IOException {
    fill();
    age("a.hip", Duration.ofDays(2));
    List<Path> before = files();

    Run dry = command.run("gc", "--dry-run", "--max-age", "1d");

    assertThat(dry.out()).startsWith("would remove 1 of 2 entries, free ");
    assertThat(files()).isEqualTo(before);
    String freed = dry.out().replaceAll(".*, free (.*) of .*\n", "$1");
    assertThat(command.run("gc", "--max-age", "1d").out())
        .startsWith("removed 1 of 2 entries, freed " + freed + " of ");
  }

  @Test
  void gc_unlimited_saysSo() throws IOException {
    fill();

    assertThat(command.run("gc", "--max-size", "0").out()).endsWith("; unlimited\n");
  }

  @Test
  void gc_json_isOneDocument() throws IOException {
    fill();
    age("a.hip", Duration.ofDays(2));

    Object[] arguments = {
      "gc", "--json", "--dry-run", "--max-age", "1d", "--max-size", "unlimited"
    };
    assertThat(command.run(arguments).out())
        .matches(
            "\\{\"schema\":\"kcache.gc/1\",\"directory\":\"[^\"]+\",\"dryRun\":true,\"interrupted\":false,\"maxSize\":null,\"maxAgeSeconds\":86400,\"entries\":2,\"size\":\\d+,\"removedEntries\":1,\"freedSize\":\\d+}\n");
  }

  @Test
  void gc_namedDirectory_isTheOneThatIsLookedAt() throws IOException {
    fill();
    Path layer = directory.resolve("layer");
    command.run("prewarm", "--cache-dir", layer, command.kernel("c.hip"));

    assertThat(command.run("gc", "--dry-run", "--cache-dir", layer, "--max-size", "1").out())
        .startsWith("would remove 1 of 1 entry, ");
  }

  @Test
  void gc_withoutAnyDirectory_findsNothing() {
    Run run = succeeds("gc");

    assertThat(run.out()).startsWith("removed 0 of 0 entries, freed 0 B of 0 B; ");
    assertThat(run.err())
        .isEqualTo("kcache: nothing to remove: '" + command.cache + "' does not exist\n");
    assertThat(command.cache).doesNotExist();
  }

  @Test
  void gc_directoryThatIsAFile_isAProblem() throws IOException {
    Files.createFile(command.cache);

    Run run = command.run("gc");

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("kcache: cache directory " + command.cache + " is not a directory; ")
        .hasLineCount(1);
    assertThat(command.run("gc", "--dry-run")).isEqualTo(run);
  }

  @Test
  void gc_directoryThatIsALinkToNothing_isAProblem() throws IOException {
    Files.createSymbolicLink(command.cache, Path.of("nowhere"));

    Run run = command.run("gc");

    String problem = "cache directory " + command.cache + " is a symbolic link to nothing";
    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("kcache: " + problem + "; remove it").hasLineCount(1);
  }

  @Test
  void gc_limitThatCannotBeMet_isSaid() throws IOException {
    fill();
    // No record names it, but its writer may be about to.
    Path code = CommandRunner.files(command.cache, ".co").get(0);
    Files.copy(code, code.resolveSibling("0".repeat(64) + ".co"));

    for (Run run :
        List.of(
            command.run("gc", "--max-size", "1kB", "--dry-run"),
            command.run("gc", "--max-size", "1kB"),
            command.run("gc", "--max-size", "1kB"))) {
      assertThat(run.exitCode()).isZero();
      assertThat(run.err())
          .contains(
              " stay, more than the limit: what is remembered of compilers, the counts, and files of"
                  + " the last ten minutes that no entry names")
          .hasLineCount(1);
    }
    assertThat(command.run("gc").err()).isEmpty();
  }

  @Test
  void gc_interrupt_isOneLineAndCode130() throws IOException {
    fill();
    command.interrupts = CommandRunner.AT_ONCE;

    Run run = ends(ExitCode.INTERRUPTED, "gc", "--max-size", "1");

    assertThat(run.out()).startsWith("removed 0 of ");
    assertThat(run.err()).isEqualTo("kcache: interrupted; run it again to remove the rest\n");
    assertThat(command.run("gc", "--max-size", "1", "--json").out())
        .contains("\"dryRun\":false,\"interrupted\":true,");
    assertThat(command.run("list").out()).hasLineCount(2);
  }

  @Test
  void gc_badLimit_isRefusedWithTheForm() {
    assertRefused(command.run("gc", "--max-size", "much"), "--max-size: ", "500MB");
    assertRefused(command.run("gc", "--max-age", "90"), "--max-age: ", "90d");
    put("KCACHE_MAX_SIZE", "-1");
    assertRefused(command.run("gc"), "KCACHE_MAX_SIZE: '-1' is not a size", "5GB");
    assertRefused(command.run("list"), "KCACHE_MAX_SIZE: '-1' is not a size", "5GB");
  }

  private static void assertRefused(Run run, String... texts) {
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err().lines()).singleElement().asString().contains(texts);
  }

  private void fill() throws IOException {
    assertThat(command.run("prewarm", command.kernel("a.hip"), command.kernel("b.hip")).exitCode())
        .isZero();
  }

  /** Sets when the entry of a source was last used. */
  private void age(String source, Duration age) throws IOException {
    for (Path file : CommandRunner.files(command.cache, ".json")) {
      if (Files.readString(file).contains(source)) {
        CommandRunner.age(file, age);
      }
    }
  }

  /** Returns the files of entries. */
  private List<Path> files() {
    return CommandRunner.files(command.cache, "").stream()
        .filter(file -> file.toString().matches(".*\\.(json|co|deps)"))
        .toList();
  }
}
