// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The arguments of the script that installs hipcc, on a machine whose apt-get only records. */
@Timeout(60)
class InstallHipccTest {
  @TempDir private Path directory;
  private Path installed;

  @BeforeEach
  void replaceTools() throws IOException {
    installed = directory.resolve("installed");
    for (String tool : List.of("apt-get", "sudo")) {
      Programs.script(directory.resolve(tool), "echo \"$0 $*\" >> '" + installed + "'");
    }
  }

  @Test
  void help_isPrintedAndNothingIsInstalled() throws Exception {
    for (String help : List.of("--help", "-h")) {
      Run run = run(help);

      assertThat(run.exitCode()).isZero();
      assertThat(run.out()).startsWith("Usage: install-hipcc [--help]\n");
      assertThat(run.err()).isEmpty();
    }
    assertThat(installed).doesNotExist();
  }

  @Test
  void unknownArguments_areRefusedAndNothingIsInstalled() throws Exception {
    for (List<String> wrong : List.of(List.of("--halp"), List.of(""), List.of("rocm", "--help"))) {
      Run run = run(wrong.toArray(String[]::new));

      assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .startsWith("install-hipcc: unknown argument '" + wrong.get(0) + "'\nUsage: ");
    }
    assertThat(installed).doesNotExist();
  }

  private Run run(String... arguments) throws Exception {
    Path script = Path.of("../scripts/install-hipcc").toAbsolutePath();
    List<String> command = new ArrayList<>(List.of("bash", script.toString()));
    command.addAll(List.of(arguments));
    Map<String, String> environment = Map.of("PATH", directory + ":/usr/bin:/bin");
    return Programs.run(Programs.builder(directory, environment, command));
  }
}
