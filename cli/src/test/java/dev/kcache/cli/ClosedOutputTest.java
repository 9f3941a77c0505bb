// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command as a process whose standard output takes nothing. */
@Timeout(120)
class ClosedOutputTest {
  @TempDir private Path directory;

  private record Run(int exitCode, String err) {}

  @Test
  void readerThatIsGone_isNoProblem() throws Exception {
    assertThat(run(Redirect.PIPE, "stats")).isEqualTo(new Run(ExitCode.READER_GONE, ""));
  }

  @Test
  void readerThatIsGone_doesNotHideAFailure() throws Exception {
    Run run = run(Redirect.PIPE, "list", "--json", "--fool");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .startsWith("kcache: unknown option '--fool'")
        .doesNotContain("could not be written");
  }

  @Test
  void fullDisk_isAProblem() throws Exception {
    assertThat(run(Redirect.to(new File("/dev/full")), "stats"))
        .isEqualTo(
            new Run(
                ExitCode.UNAVAILABLE,
                "kcache: the output could not be written (No space left on device); it is not"
                    + " complete\n"));
  }

  private Run run(Redirect output, String... arguments) throws Exception {
    Process process = start(output, arguments);
    // Long before anything is printed, and nobody else reads from it.
    process.getInputStream().close();
    String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(60, SECONDS)).isTrue();
    return new Run(process.exitValue(), err);
  }

  private Process start(Redirect output, String... arguments) throws IOException {
    Map<String, String> environment =
        Map.of("KCACHE_DIR", directory.toString(), "PATH", "/usr/bin:/bin");
    return Programs.builder(directory, environment, Programs.kcache(arguments))
        .redirectOutput(output)
        .start();
  }
}
