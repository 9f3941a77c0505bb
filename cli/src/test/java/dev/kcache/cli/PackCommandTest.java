// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Packs from the shell, and what the other commands make of them. */
class PackCommandTest extends CommandTestBase {
  private Path pack;
  private Path source;

  @BeforeEach
  void prewarm() {
    source = command.kernel("a.hip");
    succeeds("prewarm", source, command.kernel("b.hip", "other"), "--arch", "gfx90a,gfx1030");
    pack = directory.resolve("kernels.jar");
  }

  /** Leaves the pack as all that there is. */
  private void usePackAlone() {
    succeeds("pack", "--to", pack);
    put("KCACHE_DIR", directory.resolve("own").toString(), "KCACHE_PATH", pack.toString());
    command.toolchain.missing = true;
  }

  @Test
  void pack_tellsWhatItHas() throws IOException {
    Run run = succeeds("pack", "--to", pack);
    assertThat(run.out()).startsWith("4 entries packed into " + pack + ", ").hasLineCount(1);
    assertThat(run.err()).isEmpty();
    assertThat(succeeds("pack", "--to", pack, "--arch", "gfx90a", "--json").out())
        .startsWith("{\"schema\":\"kcache.pack/1\",\"directory\":\"" + command.cache + "\"")
        .contains(
            "\"file\":\"" + pack + "\",\"entries\":2,\"older\":0,\"refused\":0,\"damaged\":0",
            "\"size\":" + Files.size(pack));
  }

  @Test
  void inspect_tellsWhatReadsAPack() throws IOException {
    succeeds("pack", "--to", pack);
    assertThat(ends(ExitCode.USAGE, "inspect", pack).err())
        .isEqualTo(
            "kcache: '%s' is a pack of kernels and no code object; name it in KCACHE_PATH, where 'kcache list' shows its entries, and inspect one of them\n"
                .formatted(pack));
    Path archive = directory.resolve("other.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
      zip.putNextEntry(new ZipEntry("a.txt"));
    }
    assertThat(ends(ExitCode.USAGE, "inspect", archive).err())
        .isEqualTo(
            "kcache: '%s' is an archive and no code object; unpack it, and name a file of it\n"
                .formatted(archive));
  }

  @Test
  void layer_isListedAndVerified() {
    usePackAlone();
    assertThat(succeeds("list").out().lines())
        .hasSize(4)
        .allMatch(line -> line.contains("" + pack));
    assertThat(succeeds("verify").out())
        .startsWith("4 records and 2 code objects (")
        .endsWith(") checked in '" + pack + "': all sound\n");
  }

  @Test
  void damagedLayer_isToBeMadeAnew() throws IOException {
    usePackAlone();
    try (FileSystem jar = FileSystems.newFileSystem(pack);
        Stream<Path> files = Files.walk(jar.getPath("META-INF"))) {
      for (Path code : files.filter(each -> each.toString().endsWith(".co")).toList()) {
        Files.write(code, new byte[(int) Files.size(code)]);
      }
    }
    assertThat(ends(ExitCode.DAMAGED, "verify").err())
        .endsWith(" or makes a pack anew, with 'kcache pack'\n");
    Files.write(pack, Arrays.copyOf(Files.readAllBytes(pack), 1000));
    Run run = ends(ExitCode.DAMAGED, "verify");
    assertThat(run.out())
        .startsWith("damaged  %s  not using layer %s: it is not a jar".formatted(pack, pack));
    assertThat(run.err()).endsWith(" or makes a pack anew, with 'kcache pack'\n");
    assertThat(ends(ExitCode.DAMAGED, "prove", source, "--arch", "gfx90a", "--layer", pack).out())
        .contains("1 missing, 1 finding of damage in '" + pack + "'");
  }

  @Test
  void layer_isExplainedAndProven() {
    usePackAlone();
    assertThat(succeeds("explain", source, "--arch", "gfx90a").out()).contains("hit: ");
    assertThat(succeeds("prove", source, "--arch", "gfx90a,gfx1030").out()).contains("2 hits");
    assertThat(succeeds("prove", source, "--arch", "gfx90a", "--class-path", pack).out())
        .contains("1 hit");
  }

  @Test
  void doctor_showsAPackAndWarnsOfAFileThatIsNone() {
    usePackAlone();
    // Where no hiprtc is, which would have to be asked, in a process of its own.
    String none = directory.toString();
    put("KCACHE_HIP_LIBRARY", none, "PATH", none, "KCACHE_ARCH", "gfx90a");
    put("KCACHE_PATH", pack + ":" + source);
    assertThat(command.run("doctor").out())
        .containsPattern("ok +layer +" + pack + ": 4 entries, ")
        .containsPattern("warn +layer +not using layer " + source + ": it is not a jar");
  }

  @Test
  void targetThatIsNotPacked_isAMissThatIsExplained() {
    usePackAlone();
    Run run = ends(ExitCode.FAILED, "prove", source, "--arch", "gfx942");
    assertThat(run.out()).contains("miss  gfx942");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 2, pack needs --to; name the jar to write",
    "--to DIR, 2, is a directory; name a file in it",
    "--to DIR/none/k.jar, 2, is not a directory; make it",
    "--to DIR/kernels.jar --arch gfx942, 1, nothing was written: no entries for gfx942 in",
    "--to DIR/kernels.jar --cache-dir DIR/none, 3, does not exist; name another by --cache-dir",
  })
  void wrongRequest_isOneLineAndWritesNothing(String arguments, int exitCode, String problem) {
    Object[] words = ("pack " + arguments.replace("DIR", directory.toString())).trim().split(" ");
    Run run = ends(exitCode, words);
    assertThat(run.err()).contains(problem).hasLineCount(1);
    assertThat(run.out()).isEmpty();
    assertThat(CommandRunner.files(directory, ".jar")).isEmpty();
    assertThat(CommandRunner.files(directory, ".tmp")).isEmpty();
  }

  @Test
  void damagedEntry_endsWithItsCodeAndTheRestIsPacked() throws IOException {
    Path damaged = CommandRunner.files(command.cache.resolve("gfx90a-5.2"), ".co").get(0);
    Files.write(damaged, new byte[3464]);
    Run run = ends(ExitCode.DAMAGED, "pack", "--to", pack);
    assertThat(run.out()).contains("2 entries packed", "0 refused, 2 damaged");
    assertThat(run.err().lines())
        .hasSize(2)
        .allMatch(line -> line.endsWith("is left out: its code object is missing or damaged"));
  }

  @Test
  void interrupt_leavesWhatWasThere() throws IOException {
    Files.writeString(pack, "old");
    command.interrupts = CommandRunner.AT_ONCE;
    Run run = ends(ExitCode.INTERRUPTED, "pack", "--to", pack);
    assertThat(run.err()).contains("interrupted; nothing was written; run it again");
    assertThat(pack).hasContent("old");
    assertThat(CommandRunner.files(directory, ".tmp")).isEmpty();
  }
}
