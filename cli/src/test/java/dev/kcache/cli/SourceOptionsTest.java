// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources that are refused: exit code 2, a line for each, nothing compiled, nothing written. */
class SourceOptionsTest {
  @TempDir private Path directory;
  private CommandRunner command;

  @BeforeEach
  void createCommand() {
    command = new CommandRunner(directory);
  }

  @Test
  void source_hasToBeAFileOfText() throws IOException {
    Path good = command.kernel("good.hip");
    Path missing = directory.resolve("missing.hip");
    Path empty = command.write("empty.hip", "");
    Path binary = Files.write(directory.resolve("binary.hip"), new byte[] {(byte) 0xff, 0x31});

    Run run = refused(good, missing, empty, binary, directory);

    assertThat(run.err().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains(missing.toString()),
            line -> assertThat(line).contains(empty.toString()),
            line -> assertThat(line).contains(binary.toString(), "UTF-8"),
            line -> assertThat(line).contains(directory.toString()));
  }

  @Test
  void source_thatCannotBeKeyedIsRefusedWithItsLine() {
    Path dated = command.write("dated.hip", "// one\nconst char* d = __DATE__;\n");

    assertThat(refused(dated).err()).contains(dated + ":2: ", "__DATE__");
  }

  @Test
  void computedInclude_isRefusedWithoutAHeader() {
    Path computed = command.write("computed.hip", "#define H(x) #x\n#include H(h.h)\n");

    assertThat(refused(computed).err()).contains(computed + ":2: ");
  }

  @Test
  void option_outsideTheAllowListIsRefusedOnce() {
    Run run = refused(command.kernel("a.hip"), command.kernel("b.hip"), "--option=-o/tmp/x");

    assertThat(run.err().lines()).singleElement().asString().contains("-o/tmp/x");
  }

  @Test
  void includeDirectory_hasToBeOne() {
    Path nowhere = directory.resolve("nowhere");

    assertThat(refused(command.kernel("a.hip"), "-I", nowhere).err())
        .isEqualTo("kcache: -I " + nowhere + ": there is no such directory\n");
  }

  @Test
  void header_hasToBeAFileOfText() throws IOException {
    Path source = command.kernel("a.hip");
    Path binary = Files.write(directory.resolve("binary.h"), new byte[] {(byte) 0xff, 0x31});

    assertThat(refused(source, "--header", directory.resolve("no.h")).err())
        .endsWith("no.h: there is no such file\n");
    assertThat(refused(source, "--header", directory).err()).endsWith(": it is a directory\n");
    assertThat(refused(source, "--header", binary).err()).endsWith(": it is not UTF-8 text\n");
    assertThat(refused(source, "--header", "x.h=/dev/zero").err())
        .endsWith(": it is not a regular file\n");
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
    Object[] all = new Object[arguments.length + 3];
    all[0] = "prewarm";
    all[1] = "--arch";
    all[2] = "gfx90a";
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    Run run = command.run(all);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(command.toolchain.jobs).isEmpty();
    assertThat(command.cache).doesNotExist();
    return run;
  }
}
