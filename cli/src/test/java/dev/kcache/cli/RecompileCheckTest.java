// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which entries are compiled again, and what becomes of those that cannot be. */
class RecompileCheckTest extends CommandTestBase {
  private Path manifest;

  @BeforeEach
  void prewarm() {
    StringBuilder kernels = new StringBuilder();
    for (int i = 0; i < 10; i++) {
      command.kernel("k" + i + ".hip", "number " + i);
      kernels.append(i == 0 ? "" : ", ").append("{\"source\": \"k").append(i).append(".hip\"}");
    }
    manifest =
        command.write(
            "kernels.json", "{\"schema\": \"kcache.manifest/1\", \"kernels\": [" + kernels + "]}");
    succeeds("prewarm", "--manifest", manifest, "--arch", "gfx90a,gfx1030");
    command.toolchain.jobs.clear();
  }

  private Run verify(int exitCode, String share) {
    return ends(exitCode, "verify", "--recompile", share, "--manifest", manifest);
  }

  @ParameterizedTest
  @CsvSource({"all, 20", "100%, 20", "5%, 1", "12.5%, 3", "0.001%, 1"})
  void share_isThatOfTheEntriesAndAtLeastOne(String share, int compiled) {
    assertThat(verify(ExitCode.OK, share).out())
        .endsWith(
            "\n%d of 20 entries compiled again: %d the same, 0 wrong, 0 not comparable\n"
                .formatted(compiled, compiled));
    assertThat(command.toolchain.jobs).hasSize(compiled);
  }

  @Test
  void compiles_areNeitherKeptNorCounted() {
    String before = succeeds("stats", "--json").out();

    verify(ExitCode.OK, "all");

    assertThat(succeeds("stats", "--json").out()).isEqualTo(before);
  }

  @Test
  void sample_isAnotherEachTime() {
    for (int i = 0; i < 40; i++) {
      verify(ExitCode.OK, "5%");
    }

    assertThat(command.toolchain.jobs.stream().map(job -> job.source().name()).distinct())
        .hasSizeGreaterThan(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "0%", "101%", "-5%", "some", "5 %", "1e1%", "0.0%"})
  void wrongShare_isOneLine(String share) {
    Run run = verify(ExitCode.USAGE, share);

    assertThat(run.err()).contains("'" + share + "' is not a share; write it like 5%, or all");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void manifest_isNeededAndNothingElse() {
    assertThat(ends(ExitCode.USAGE, "verify", "--recompile", "all"))
        .isEqualTo(
            new Run(
                ExitCode.USAGE,
                "",
                "kcache: --recompile needs the sources: name a trace or a file that lists them by --manifest\n"));
    assertThat(ends(ExitCode.USAGE, "verify", "--manifest", manifest).err())
        .isEqualTo("kcache: --manifest is for --recompile, which is not given\n");
  }

  @Test
  void manifestThatIsWrong_isOneLineAndNothingIsVerified() {
    Run run =
        ends(ExitCode.USAGE, "verify", "--recompile", "all", "--manifest", directory.resolve("no"));

    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("is neither a trace nor a file").hasLineCount(1);
  }

  @Test
  void entriesWithoutASource_areCounted() {
    command.kernel("k0.hip", "edited");

    assertThat(verify(ExitCode.OK, "all").out())
        .endsWith(
            "18 of 18 entries compiled again: 18 the same, 0 wrong, 0 not comparable\n2 entries have no source in '%s'\n"
                .formatted(manifest));
  }

  @Test
  void noEntryWithASource_isNoSuccess() {
    Path empty = directory.resolve("empty");
    put("KCACHE_DIR", empty.toString());
    succeeds("prewarm", command.kernel("stranger.hip"), "--arch", "gfx90a");

    Run run = verify(ExitCode.UNAVAILABLE, "all");

    assertThat(run.err())
        .isEqualTo(
            ("kcache: nothing was compiled again: no entry has its source in '%s'; trace the"
                    + " application again, or list the sources as they were compiled\n")
                .formatted(manifest));
  }

  @Test
  void anotherCompiler_comparesNothingAndIsNamed() {
    command.toolchain.label = "6.4";
    command.toolchain.content = "newer";

    Run run = verify(ExitCode.UNAVAILABLE, "5%");

    assertThat(run.out())
        .contains("\nnot comparable  gfx", "  compiler 5.2 → 6.4\n")
        .endsWith("1 of 20 entries compiled again: 0 the same, 0 wrong, 1 not comparable\n");
    assertThat(run.err()).startsWith("kcache: nothing could be compared: ").hasLineCount(1);
    assertThat(command.toolchain.jobs).isEmpty();
  }

  @Test
  void missingCompiler_isOneLine() {
    command.toolchain.missing = true;

    Run run = verify(ExitCode.UNAVAILABLE, "all");

    assertThat(run.err()).isEqualTo("kcache: " + FakeToolchain.MISSING + "\n");
    assertThat(run.out()).contains(": all sound\n0 of 20 entries compiled again: ");
  }

  @Test
  void compilerThatFails_isAFailureWithTheName() {
    command.toolchain.unknown.add(Fixtures.GFX1030);

    Run run = verify(ExitCode.FAILED, "all");

    assertThat(run.out()).contains("10 of 20 entries compiled again: 10 the same");
    assertThat(run.err()).contains("k3.hip for gfx1030: ").hasLineCount(10);
  }

  @Test
  void wrongEntryThatAnotherMovedMeanwhile_isGoneAndNoFault() {
    command.toolchain.hungry = true;
    command.toolchain.beginning =
        job -> {
          CommandRunner.files(command.cache, ".json").stream()
              .filter(file -> file.toString().contains("gfx90a"))
              .forEach(RecompileCheckTest::delete);
        };

    Run run = verify(ExitCode.OK, "all");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .containsPattern("\ngone  +gfx90a  .* removed or moved to quarantine meanwhile\n")
        .endsWith("20 of 20 entries compiled again: 10 the same, 0 wrong, 10 not comparable\n");
  }

  @Test
  void wrongEntryThatCannotBeMoved_isSaidToStay() {
    command.toolchain.hungry = true;
    put("KCACHE_DIR", directory.resolve("own").toString(), "KCACHE_PATH", command.cache.toString());
    succeeds("prewarm", command.kernel("other.hip"), "--arch", "gfx1030");

    Run run = verify(ExitCode.DAMAGED, "all");

    assertThat(run.out()).contains("\nwrong  gfx90a", "; not moved out of '" + command.cache + "'");
    assertThat(run.out()).doesNotContain("gone");
  }

  @Test
  void interrupt_keepsWhatWasComparedAndIsOneLine() {
    CountDownLatch latest = new CountDownLatch(1);
    command.interrupts =
        action -> {
          command.toolchain.beginning =
              job -> {
                if (job.source().name().endsWith("k9.hip")) {
                  action.run();
                  await(latest);
                }
              };
          return () -> {};
        };

    Run run = verify(ExitCode.INTERRUPTED, "all");

    assertThat(run.err()).isEqualTo("kcache: interrupted; run it again to verify the rest\n");
    assertThat(run.out()).containsPattern("of 20 entries compiled again: \\d+ the same, 0 wrong");
  }

  @Test
  void interruptBeforeAnythingIsCompiled_isOneLine() {
    command.interrupts = CommandRunner.AT_ONCE;

    Run run = ends(ExitCode.INTERRUPTED, "verify");

    assertThat(run)
        .isEqualTo(new Run(130, "", "kcache: interrupted; run it again to verify the rest\n"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void json_hasWhatEachCompileShowed() {
    assertThat(
            ends(ExitCode.OK, "verify", "--json", "--recompile=5%", "--manifest", manifest).out())
        .contains(
            "\"sound\":true",
            "\"recompiled\":{\"manifest\":\"%s\",\"candidates\":20,\"withoutSource\":0,\"interrupted\":false,\"entries\":[{\"directory\":\"%s\""
                .formatted(manifest, command.cache),
            "\"outcome\":\"same\"",
            "\"quarantined\":false,\"gone\":false,\"differences\":[]}],\"problems\":[]}");
  }
}
