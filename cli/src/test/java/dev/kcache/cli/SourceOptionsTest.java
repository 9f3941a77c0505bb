// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Sources that are refused, exit code 1, and requests that are wrong, exit code 2: a line for each,
 * nothing compiled, nothing written.
 */
class SourceOptionsTest extends CommandTestBase {
  @Test
  void source_hasToBeAFile() {
    Path good = command.kernel("good.hip");
    Path missing = directory.resolve("missing.hip");

    Run run = refused(good, missing, directory);

    assertThat(run.err().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains(missing.toString()),
            line -> assertThat(line).contains(directory.toString()));
  }

  @Test
  void source_thatCannotBeKeyedIsRefusedWithItsLine() {
    Path silent =
        command.write("silent.hip", "// \n#pragma clang diagnostic ignored \"-Wdate-time\"\n");

    assertThat(failed(silent).err()).contains(silent + ":2: a pragma silences -Wdate-time");
  }

  @Test
  void computedInclude_isRefusedWithoutAHeader() {
    Path computed = command.write("computed.hip", "\n#include __FILE__\n");

    assertThat(failed(computed).err()).contains(computed + ":2: ");
  }

  @Test
  void source_thatIsRefusedDoesNotStopTheOthers() {
    Path good = command.kernel("good.hip");
    Path assembler = command.write("assembler.hip", "\nasm(\".incbin f\");\n");
    Path empty = command.write("empty.hip", "");

    Run run =
        ends(
            ExitCode.FAILED,
            "prewarm",
            "--arch",
            "gfx90a,gfx1030",
            assembler,
            good,
            empty,
            assembler);

    assertThat(run.err().lines())
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).startsWith("kcache: " + assembler + ":2: assembler code"),
            line -> assertThat(line).startsWith("kcache: " + empty + ": is empty"));
    assertThat(run.out().lines())
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).isEqualTo("failed    gfx90a  " + assembler),
            line -> assertThat(line).isEqualTo("failed    gfx1030  " + assembler),
            line -> assertThat(line).isEqualTo("failed    gfx90a  " + empty),
            line -> assertThat(line).isEqualTo("failed    gfx1030  " + empty),
            line -> assertThat(line).startsWith("compiled  gfx90a  " + good),
            line -> assertThat(line).startsWith("compiled  gfx1030  " + good),
            line -> assertThat(line).startsWith("0 hits, 2 compiled, 4 failed"));
    assertThat(command.run("list").out()).contains("good.hip").doesNotContain("assembler");
  }

  @Test
  void source_thatIsRefusedIsFoundByOneShard() {
    Path good = command.kernel("good.hip");
    Path assembler = command.write("assembler.hip", "asm(\".incbin f\");\n");

    Run first = command.run("prewarm", "--arch", "gfx90a", "--shard", "1/2", assembler, good);
    Run second = command.run("prewarm", "--arch", "gfx90a", "--shard", "2/2", assembler, good);

    assertThat(first.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(second.exitCode()).isEqualTo(ExitCode.OK);
  }

  @Test
  void option_outsideTheAllowListIsRefusedOnce() {
    Run run = refused(command.kernel("a.hip"), command.kernel("b.hip"), "--option=-o/tmp/x");

    assertThat(run.err().lines()).singleElement().asString().contains("-o/tmp/x");
  }

  @Test
  void instantiation_hasToBeOneExpression() {
    Path source = command.kernel("a.hip");

    assertThat(refused(source, command.kernel("b.hip"), "--instantiate", "f<int>; evil").err())
        .isEqualTo(
            "kcache: instantiation 'f<int>; evil': it can't have ;; name one kernel, such as"
                + " saxpy<float, 4>\n");
    assertThat(refused("--catalog", "--instantiate", "f<int>").err())
        .contains("--instantiate are for SOURCE files, and none is given");
  }

  @Test
  void includeDirectory_hasToBeOne() {
    Path nowhere = directory.resolve("nowhere");

    assertThat(refused(command.kernel("a.hip"), "-I", nowhere).err())
        .isEqualTo("kcache: -I " + nowhere + ": there is no such directory\n");
  }

  @Test
  void header_isAFileOfAnyEncoding() throws IOException {
    Path source = command.kernel("a.hip");
    Path latin = Files.write(directory.resolve("latin.h"), new byte[] {'/', '/', (byte) 0xe9});

    assertThat(command.run("prewarm", "--arch", "gfx90a", "--header", "l.h=" + latin, source))
        .extracting(Run::exitCode)
        .isEqualTo(ExitCode.OK);
  }

  @Test
  void header_hasToBeAFile() throws IOException {
    Path source = command.kernel("a.hip");

    assertThat(refused(source, "--header", directory.resolve("no.h")).err())
        .endsWith("no.h: there is no such file\n");
    Path link = Files.createSymbolicLink(directory.resolve("link.h"), Path.of("no.h"));
    assertThat(refused(source, "--header", link).err())
        .endsWith(": it is a symbolic link to nothing\n");
    assertThat(refused(source, "--header", directory).err()).endsWith(": it is a directory\n");
    assertThat(refused(source, "--header", "x.h=/dev/zero").err())
        .endsWith(": it is not a regular file\n");
  }

  @Test
  void headers_thatMemoryDoesNotHold_areOneLine() throws Exception {
    Path header = directory.resolve("large.h");
    byte[] line =
        "// a comment that a scanner has to look at as well..............\n".getBytes(UTF_8);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(header))) {
      for (long written = 0; written < 60_000_000; written += line.length) {
        out.write(line);
      }
    }
    List<String> kcache =
        Programs.java(
            Main.class,
            List.of("-XX:+UseSerialGC", "-Xmx100m"),
            "prewarm",
            "--arch=gfx90a",
            "--cache-dir=" + directory.resolve("made"),
            "--header=x.h=" + header,
            command.kernel("a.hip").toString());

    Run run = Programs.run(Programs.builder(directory, System.getenv(), kcache));

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .startsWith("kcache: --header x.h=" + header + ": ")
        .contains("more than the", "KCACHE_JAVA_OPTS=-Xmx")
        .hasLineCount(1);
    assertThat(directory.resolve("made")).doesNotExist();
  }

  @Test
  void source_whoseNameCannotBeShownIsNamedAsFarAsPossible() {
    assertThat(refused(command.kernel("a\nb.hip")).err())
        .contains("a b.hip': ", "; rename it without control characters\n");
  }

  @Test
  void header_needsANameInsideTheSourcesDirectory() {
    assertThat(refused(command.kernel("a.hip"), "--header", "../up.h").err())
        .isEqualTo(
            "kcache: --header ../up.h: a source cannot include it by a name outside its"
                + " directory; write --header NAME=../up.h\n");
  }

  private Run refused(Object... arguments) {
    Run run = nothingDone(ExitCode.USAGE, arguments);
    assertThat(run.out()).isEmpty();
    return run;
  }

  private Run failed(Object... arguments) {
    return nothingDone(ExitCode.FAILED, arguments);
  }

  private Run nothingDone(int exitCode, Object... arguments) {
    Object[] all = new Object[arguments.length + 3];
    all[0] = "prewarm";
    all[1] = "--arch";
    all[2] = "gfx90a";
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    Run run = ends(exitCode, all);
    assertThat(command.toolchain.jobs).isEmpty();
    assertThat(command.cache).doesNotExist();
    return run;
  }
}
