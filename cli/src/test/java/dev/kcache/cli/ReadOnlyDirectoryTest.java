// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Removal from a cache directory on a file system that is only read, as even root meets it. */
@Timeout(120)
class ReadOnlyDirectoryTest {
  private static final String READ_ONLY =
      "mount --make-rprivate / 2>/dev/null; mount --bind $0 $0; mount -o remount,bind,ro $0;"
          + " exec \"$@\"";

  @TempDir private Path directory;
  private Path cache;

  @BeforeEach
  void fill() throws IOException {
    assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0), "only root can mount");
    CommandRunner command = new CommandRunner(directory);
    cache = command.cache;
    assertThat(command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a").exitCode())
        .isZero();
  }

  @Test
  void dryRun_tellsWhatWouldGo() throws Exception {
    for (List<String> more : List.of(List.<String>of(), List.of("--arch", "gfx90a"))) {
      Run run = run("clear", more);

      assertThat(run.err()).isEmpty();
      assertThat(run.exitCode()).isZero();
      assertThat(run.out()).startsWith("would remove 1 entry (");
    }
    assertThat(run("gc", List.of("--max-size", "1")).out()).startsWith("would remove 1 of 1 entry");
  }

  @Test
  void removal_isRefusedWithOneLine() throws Exception {
    String problem = "cache directory " + cache + " cannot be written: it is read-only";
    Run refused = new Run(ExitCode.UNAVAILABLE, "", "kcache: " + problem + "\n");

    assertThat(start("clear")).isEqualTo(refused);
    assertThat(start("gc")).isEqualTo(refused);
  }

  @Test
  void prewarm_servesHitsAndRefusesToCompile() throws Exception {
    String source = directory.resolve("a.hip").toString();

    assertThat(start("prewarm", source, "--arch", "gfx90a").out()).contains("1 hit, 0 compiled");
    assertThat(start("prewarm", source, "--arch", "gfx1030"))
        .isEqualTo(
            new Run(
                ExitCode.UNAVAILABLE,
                "",
                "kcache: cache directory " + cache + " cannot be written: it is read-only\n"));
  }

  private Run run(String verb, List<String> more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(verb, "--dry-run"));
    arguments.addAll(more);
    return start(arguments.toArray(String[]::new));
  }

  private Run start(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "unshare",
                "--mount",
                "--propagation",
                "unchanged",
                "/bin/sh",
                "-c",
                READ_ONLY,
                cache.toString()));
    command.addAll(Programs.kcache(arguments));
    Map<String, String> environment =
        Map.of(
            "KCACHE_DIR",
            cache.toString(),
            "KCACHE_POLICY",
            "prefer-cache",
            "PATH",
            "/usr/bin:/bin:/usr/sbin:/sbin");
    return Programs.run(Programs.builder(directory, environment, command));
  }
}
