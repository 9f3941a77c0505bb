// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Verification from the shell: what it says, its exit code, and which directories it looks at. */
class VerifyCommandTest extends CommandTestBase {
  @BeforeEach
  void prewarm() {
    succeeds("prewarm", command.kernel("a.hip"), "--arch", "gfx90a");
  }

  @Test
  void soundCache_isOneLineAndSuccess() {
    Run run = command.run("verify");

    assertThat(run)
        .isEqualTo(
            new Run(
                0,
                "1 record and 1 code object (3.5 kB) checked in '%s': all sound\n"
                    .formatted(command.cache),
                ""));
  }

  @Test
  void damagedCodeObject_isALineAndCodeFourUntilRepaired() throws IOException {
    Path image = damage(command.cache);

    Run found = ends(ExitCode.DAMAGED, "verify");

    assertThat(found.out())
        .isEqualTo(
            "damaged  "
                + image
                + "  no sound code object\n"
                + "1 record and 1 code object (0 B) checked in '"
                + command.cache
                + "': 1 finding, 0 repaired\n");
    assertThat(found.err()).contains("kcache verify --repair");

    Run repaired = succeeds("verify", "--repair");

    assertThat(repaired.out())
        .contains("damaged  " + image + "  no sound code object; repaired\n")
        .containsPattern(
            "incomplete  .*\\.json  its code object was damaged and is moved aside; repaired\n")
        .endsWith(": 2 findings, 2 repaired\n");
    assertThat(repaired.err()).isEmpty();
    assertThat(command.run("verify").exitCode()).isZero();
  }

  @Test
  void layers_areVerifiedAndNeverRepaired() throws IOException {
    Path layer = directory.resolve("layer");
    command.run("prewarm", command.kernel("b.hip"), "--arch", "gfx1030", "--cache-dir", layer);
    put("KCACHE_PATH", layer.toString());
    Path image = damage(layer);

    Run run = ends(ExitCode.DAMAGED, "verify", "--repair");

    assertThat(run.out())
        .contains("damaged  " + image + "  no sound code object\n")
        .contains("checked in '" + command.cache + "', '" + layer + "': 1 finding, 0 repaired");
    assertThat(run.err()).contains("layers");
    assertThat(command.run("verify", "--repair", "--cache-dir", layer).exitCode()).isZero();
    assertThat(command.run("verify").exitCode()).isZero();
  }

  @Test
  void json_hasEveryFinding() throws IOException {
    Path image = damage(command.cache);

    assertThat(ends(ExitCode.DAMAGED, "verify", "--json").out())
        .isEqualTo(
            ("{\"schema\":\"kcache.verify/1\",\"directories\":[\"%s\"],\"repair\":false,"
                    + "\"sound\":false,\"records\":1,\"codeObjects\":1,\"size\":0,\"findings\":["
                    + "{\"kind\":\"damaged\",\"file\":\"%s\",\"problem\":\"no sound code object\","
                    + "\"repaired\":false}]}\n")
                .formatted(command.cache, image));
  }

  @Test
  void terminal_showsABarAndTakesItAway() {
    command.columns = 80;

    Run run = command.run("verify");

    assertThat(run.err()).startsWith(ProgressBar.ERASE_LINE + "[").endsWith(ProgressBar.ERASE_LINE);
  }

  @Test
  void dumbTerminal_getsNothingThatIsDrawnOver() {
    command.columns = 80;
    put("TERM", "dumb");

    assertThat(command.run("verify").err()).isEmpty();
    assertThat(command.run("prewarm", directory.resolve("a.hip"), "--arch", "gfx90a").err())
        .isEmpty();
  }

  /** As in an image whose users have not compiled anything yet. */
  @Test
  void soundLayers_withoutADirectoryOfTheirOwn_areSuccess() {
    String layer = command.environment.put("KCACHE_DIR", directory.resolve("none").toString());
    put("KCACHE_PATH", layer);

    Run run = command.run("verify");

    assertThat(run)
        .isEqualTo(
            new Run(
                0,
                "1 record and 1 code object (3.5 kB) checked in '%s': all sound\n".formatted(layer),
                ""));
    assertThat(command.run("verify", "--json").out()).contains("\"sound\":true");
  }

  @Test
  void missingLayer_isCodeThree() {
    put("KCACHE_PATH", directory.resolve("none").toString());

    assertThat(command.run("verify").exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
  }

  @Test
  void missingDirectory_isOneLineAndCodeThree() {
    Run run = command.run("verify", "--cache-dir", directory.resolve("mistyped"));

    String problem = "'" + directory.resolve("mistyped") + "' does not exist";
    assertThat(run).isEqualTo(new Run(3, "", "kcache: not verified: " + problem + "\n"));
  }

  @Test
  void directoryThatCannotBeLookedAt_isOneLineAndCodeThree() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), Path.of("nowhere"));
    Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));
    // To some versions of Java there is nothing below a file, to others that can't be looked at.
    for (Path named : List.of(file, dangling, loop, file.resolve("below"))) {
      for (String option : List.of("--stacktrace", "--repair")) {
        Run run = command.run("verify", option, "--cache-dir", named);

        assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
            .startsWith("kcache: not verified: ")
            .contains(named.toString())
            .hasLineCount(1);
      }
    }
  }

  @Test
  void layerThatCannotBeLookedAt_isSaidBesideWhatWasFound() throws IOException {
    Path layer = openFile();
    put("KCACHE_PATH", layer.toString());

    Run run = ends(ExitCode.UNAVAILABLE, "verify");

    assertThat(run.out()).endsWith("checked in '" + command.cache + "': all sound\n");
    assertThat(run.err()).contains("not verified: ", layer + ": it can be written by other users");
    damage(command.cache);
    assertThat(command.run("verify").exitCode()).isEqualTo(ExitCode.DAMAGED);
  }

  @Test
  void layerThatCannotBeLookedAt_comesBeforeADirectoryThatIsOpenToOthers() throws IOException {
    put("KCACHE_PATH", openFile().toString());
    Files.setPosixFilePermissions(command.cache, PosixFilePermissions.fromString("rwxrwxrwx"));

    Run run = ends(ExitCode.UNAVAILABLE, "verify");

    assertThat(run.out()).startsWith("permissions  " + command.cache + "  ");
    assertThat(run.err()).contains("not verified: ", "kcache verify --repair");
    put("KCACHE_PATH", "");
    assertThat(command.run("verify").exitCode()).isEqualTo(ExitCode.DAMAGED);
  }

  @Test
  void json_tellsWhatCannotBeLookedAt() {
    Path missing = directory.resolve("missing");

    assertThat(command.run("verify", "--json", "--cache-dir", missing).out())
        .isEqualTo(
            ("{\"schema\":\"kcache.verify/1\",\"directories\":[],\"repair\":false,"
                    + "\"sound\":false,\"records\":0,\"codeObjects\":0,\"size\":0,\"findings\":[],"
                    + "\"problem\":\"'%s' does not exist\"}\n")
                .formatted(missing));
  }

  @Test
  void othersDirectory_isNoWorkForTheRepair_andSaysWhatToDo() throws IOException {
    assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0), "only root can give a file");
    Files.setAttribute(command.cache, "unix:mode", 01777);
    String rest =
        "kcache: layers, files of other users and directories with a sticky bit are not repaired;"
            + " do what their lines say\n";

    Run open = ends(ExitCode.DAMAGED, "verify", "--repair");

    assertThat(open.err()).isEqualTo(rest);
    assertThat(open.out()).contains("(rwxrwxrwx); run 'chmod go-w' on it or choose another one");

    Files.setAttribute(command.cache, "unix:mode", 0755);
    Path others = Files.createDirectory(command.cache.resolve("gfx942-5.2"));
    Files.setAttribute(others, "unix:uid", Programs.NOBODY);

    Run planted = ends(ExitCode.DAMAGED, "verify", "--repair");

    assertThat(planted.err()).isEqualTo(rest);
    assertThat(planted.out())
        .contains(others + "  belongs to nobody; remove it, or have its owner do so\n");
  }

  @Test
  void disabledCache_isNothingToVerify() {
    put("KCACHE_DISABLE", "1");

    assertThat(command.run("verify").out())
        .isEqualTo("0 records and 0 code objects (0 B) checked in no directory: all sound\n");
  }

  /** Cuts the only code object in a directory short; returns it. */
  private Path openFile() throws IOException {
    Path file = Files.createFile(directory.resolve("layer"));
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
  }

  private static Path damage(Path cache) throws IOException {
    return Files.write(CommandRunner.files(cache, ".co").get(0), new byte[10]);
  }
}
