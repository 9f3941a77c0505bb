// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused before anything else happens: exit code 2, one line, nothing written. */
class ArgumentsTest extends CommandTestBase {
  @Test
  void help_namesTheVerbs() {
    Run run = succeeds("--help");

    assertThat(run.out()).contains("prewarm  ", "list  ", "targets  ", "130 interrupted");
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"prewarm", "list", "targets"})
  void help_ofAVerbNamesItsOptions(String verb) {
    assertThat(succeeds(verb, "--help").out())
        .contains("--arch", "--cache-dir", "--json", "--stacktrace");
  }

  @Test
  void version_isTheBuilds() {
    assertThat(command.run("--version").out()).matches("kcache \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "prewarm -j 0|-j: '0' is not a number of compiles from 1 to 1024",
        "prewarm -j x|-j: 'x' is not a number of compiles from 1 to 1024",
        "prewarm -j -1|-j: '-1' is not a number of compiles from 1 to 1024",
        "prewarm -j 1025|-j: '1025' is not a number of compiles from 1 to 1024",
        "prewarm --timeout 0s|--timeout: '0s' is not a time of at most 12h",
        "prewarm --timeout 25h|--timeout: '25h' is not a time of at most 12h",
        "prewarm --timeout 2x|--timeout: '2x' is not a time of at most 12h",
        "prewarm --timeout -1s|--timeout: '-1s' is not a time of at most 12h",
        "prewarm --arch gfx999|unknown processor 'gfx999'",
        "prewarm --arch gfx90a,gfx999|unknown processor 'gfx999'",
        "prewarm --shard 0/8|'0/8' is not a part such as 2/8, the second of eight",
        "prewarm --shard 9/8|'9/8' is not a part such as 2/8, the second of eight",
        "prewarm --shard 2|'2' is not a part such as 2/8, the second of eight",
        "prewarm --arch ,|empty target ID",
        "inspect --arch gfx90a,gfx1030 x|stands for several targets; name one",
        "prewarm --arch gfx94X|did you mean gfx94X-all or gfx94X-dcgpu?",
        "prewarm --arch gfx90a:tgsplit+|gfx90a has no feature 'tgsplit'; it has: sramecc xnack",
        "prewarm --arch ../../etc|../../etc",
        "list --arch gfx999|unknown processor 'gfx999'",
        "targets --arch gfx999|unknown processor 'gfx999'",
        "targets --arch gfx94X-dcgpu,gpu-generic|gpu-generic is portable SPIR-V",
        "targets --arch gfx110X-all:xnack+|'gfx110X-all:xnack+': target ID 'gfx1100:xnack+'",
        "report --html --wide|--html: '--wide' is an option and no value",
        "prewarm --markdown --arch gfx90a|--markdown: '--arch' is an option and no value",
        "prewarm --manifest=--wide|a file of that name is written './--wide'",
        "prewarm -j --wide|-j: '--wide' is an option and no value",
        "prewarm -I --wide|-I: '--wide' is an option and no value",
        "list --cache-dir --wide|--cache-dir: '--wide' is an option and no value",
        "list --remote --wide|--remote: '--wide' is an option and no value",
        "list --remote host|--remote: a URL without a scheme; write it like redis://HOST",
        "list --remote redis://:secret@[|--remote: no URL: Expected closing bracket",
        "prewarm -DN|none is given",
        "prewarm --arch gfx90a|name HIP source files, --manifest with a trace, or --catalog",
        "prewarm --arch gfx90a,,gfx942|empty target ID",
        "prewarm --arch ;|empty target ID",
      })
  void value_isCheckedFirst(String arguments, String problem) {
    Run run = command.run((Object[]) arguments.split(" "));

    assertIsRefused(run, problem);
    assertThat(run.err()).hasLineCount(1).doesNotContain("Invalid value");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "prewarm --fool|unknown option '--fool'; did you mean --force",
        "prewarn|unknown command 'prewarn'; did you mean prewarm?",
        "bake|unknown command 'bake'",
        "list surplus|surplus argument 'surplus'",
        "targets gfx90a|surplus argument 'gfx90a'; did you mean --arch gfx90a?",
        "list MI300X|surplus argument 'MI300X'; did you mean --arch MI300X?",
        "gc gfx90a|surplus argument 'gfx90a'",
        "prewarm --arch|Missing required parameter for option '--arch'",
        "inspect|Missing required parameter: 'FILE",
        "clear --remote redis://a.example|unknown option '--remote'",
        "gc --remote redis://a.example|unknown option '--remote'",
        "stats --remote redis://a.example|unknown option '--remote'",
        "inspect --remote redis://a.example|unknown option '--remote'",
        "diff --remote redis://a.example|unknown option '--remote'",
        "targets --remote redis://a.example|unknown option '--remote'",
        "trace --remote redis://a.example|unknown option '--remote'",
        "keys --remote redis://a.example|unknown option '--remote'",
        "prove --remote redis://a.example|unknown option '--remote'",
        "run|Missing required parameter: 'KERNEL'",
      })
  void unknownArgument_isRefused(String arguments, String problem) {
    assertIsRefused(command.run((Object[]) arguments.split(" ")), problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"prewarm", "prove", "explain", "key", "list", "targets", "clear", "inspect"})
  void misspeltTarget_isSuggestedByEveryVerbThatTakesOne(String verb) {
    Object file = directory.resolve("a.hip");

    assertThat(command.run(verb, "--arch", "gfx90b", file).err()).contains("did you mean gfx90a?");
    assertThat(command.run(verb, "--arhc=gfx90a", file).err()).contains("; did you mean --arch?");
    assertThat(command.run(verb, "--target", "gfx90a", file).err())
        .contains("unknown option '--target'; did you mean --arch?");
    assertThat(command.run(verb, "--offload-arch=gfx90a", file).err())
        .contains("'; did you mean --arch?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "list",
        "stats",
        "clear --yes",
        "gc",
        "diff gfx90a gfx1030",
        "inspect abc",
        "report --html page.html",
        "pack --to kernels.jar",
        "verify",
        "prove a.hip --arch gfx90a",
      })
  void directoryThatIsNamedAndMissing_isOneLineAndCodeThree(String arguments) {
    Path kernel = command.kernel("a.hip");
    Path missing = directory.resolve("missing");
    String line = arguments.replace("a.hip", "" + kernel).replace(" p", " " + directory + "/p");

    Run run = command.run((Object[]) (line + " --cache-dir " + missing).split(" "));

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("'" + missing + "' does not exist").hasLineCount(1);
    assertThat(missing).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "help", "help help"})
  void noCommand_isARequestForHelp(String arguments) {
    Run run = command.run(arguments.isEmpty() ? new Object[0] : (Object[]) arguments.split(" "));

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).isEqualTo(command.run("--help").out()).contains("kcache help COMMAND");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void helpBeforeAVerb_isTheHelpOfTheVerb() {
    assertThat(command.run("help", "prewarm").out())
        .contains("--arch")
        .isEqualTo(command.run("prewarm", "--help").out());
    assertIsRefused(command.run("help", "bake"), "unknown command 'bake'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help clear", "-h clear", "clear -h", "clear --json --help"})
  void helpWithAVerb_isTheHelpOfTheVerb(String arguments) {
    assertThat(command.run((Object[]) arguments.split(" ")).out())
        .isEqualTo(command.run("clear", "--help").out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"clean --help", "clean -h", "clean -V", "--help clean", "clean a --help"})
  void helpWithAnUnknownVerb_isRefused(String arguments) {
    assertIsRefused(
        command.run((Object[]) arguments.split(" ")),
        "unknown command 'clean'; did you mean clear?");
  }

  @Test
  void logLevel_isChecked() {
    put("KCACHE_LOG", "loud");

    assertIsRefused(command.run("list"), "KCACHE_LOG='loud' is not a log level");
  }

  @Test
  void codeObjectVersion_isChecked() {
    put("KCACHE_CODE_OBJECT_VERSION", "x");

    assertIsRefused(
        command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a"),
        "KCACHE_CODE_OBJECT_VERSION='x' is unknown; use 4, 5 or 6, or unset it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"~", "~/cache"})
  void tildeThatNoShellExpanded_isNoCache(String value) {
    String problem = value + " begins with ~, which no shell expanded; write $HOME instead of ~";
    assertIsRefused(command.run("list", "--cache-dir", value), "the cache directory " + problem);
    put("KCACHE_DIR", value);
    assertIsRefused(command.run("list"), "KCACHE_DIR=" + problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "//", "/.", "/tmp/.."})
  void rootOfTheFileSystem_isNoCache(String root) {
    for (String verb : List.of("list", "stats", "gc", "clear")) {
      put("KCACHE_DIR", root);
      assertIsRefused(
          command.run(verb),
          "KCACHE_DIR=/ is the root of the file system; name a directory for the cache alone");
      command.environment.remove("KCACHE_DIR");
      assertIsRefused(
          command.run(verb, "--cache-dir", root), "the cache directory / is the root of the file");
    }
  }

  @Test
  void linkToTheRootOfTheFileSystem_isNoCache() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("/"));

    assertIsRefused(
        command.run("gc", "--cache-dir", link), link + " is the root of the file system");
    put("KCACHE_DIR", link.toString());
    assertIsRefused(command.run("clear"), "KCACHE_DIR=" + link + " is the root of the file system");
  }

  @Test
  void argumentsFile_isNotRead() {
    Path arguments = command.write("arguments", "--help");

    Run run = command.run("@" + arguments);

    assertIsRefused(run, "unknown command '@" + arguments + "'");
  }

  private void assertIsRefused(Run run, String problem) {
    assertThat(run.err()).startsWith("kcache: ").contains(problem);
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(Files.exists(command.cache)).isFalse();
    assertThat(command.toolchain.jobs).isEmpty();
  }
}
