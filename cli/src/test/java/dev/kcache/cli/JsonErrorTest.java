// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a program reads that asked for JSON when the command ends before it has done anything. */
class JsonErrorTest extends CommandTestBase {
  @Test
  void wrongArgument_isADocument() {
    assertIsError(command.run("verfy", "--json"), 2, "unknown command 'verfy'");
    assertIsError(command.run("list", "--json", "--fool"), 2, "unknown option '--fool'");
    assertIsError(command.run("list", "--arch", "gfx9", "--json"), 2, "unknown processor 'gfx9'");
    assertThat(command.run("list", "--fool", "--", "--json").out()).isEmpty();
  }

  @Test
  void wrongEnvironment_isADocument() {
    put("KCACHE_MAX_SIZE", "much");
    assertIsError(command.run("list", "--json"), 2, "KCACHE_MAX_SIZE: 'much' is not a size");

    put("KCACHE_LOG", "loud");
    assertIsError(command.run("list", "--json"), 2, "KCACHE_LOG='loud' is not a log level");
  }

  @Test
  void severalWrongSources_areOneDocument() {
    Run run =
        ends(ExitCode.USAGE, "prewarm", "--json", directory.resolve("a"), directory.resolve("b"));

    assertThat(run.err()).hasLineCount(2);
    assertThat(run.out())
        .matches(
            "\\{\"schema\":\"kcache.error/1\",\"exitCode\":2,\"problem\":\"[^\"]*/a: no such file; "
                + "[^\"]*/b: no such file\"}\n");
  }

  @Test
  void whatTheMachineLacks_isADocument() throws IOException {
    Files.createFile(command.cache);
    for (String verb : List.of("gc", "clear")) {
      assertIsError(command.run(verb, "--json"), 3, "is not a directory");
    }
  }

  @Test
  void damagedEntry_isADocument() throws IOException {
    command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a");
    String digest = Fixtures.codeObject(Fixtures.GFX90A).digest().toString();
    Files.write(command.cache.resolve("gfx90a-5.2/" + digest + ".co"), new byte[10]);

    assertIsError(command.run("inspect", "--json", digest), 4, "is gone or damaged");
  }

  private static void assertIsError(Run run, int exitCode, String problem) {
    assertThat(run.exitCode()).isEqualTo(exitCode);
    assertThat(run.out())
        .startsWith("{\"schema\":\"kcache.error/1\",\"exitCode\":" + exitCode + ",\"problem\":\"")
        .contains(problem)
        .endsWith("\"}\n");
    assertThat(run.err()).contains(problem);
  }
}
