// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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

/** The arguments of the script that installs hipcc, on a machine whose apt-get only records. */
@Timeout(60)
class InstallHipccTest {
  @TempDir private Path directory;
  private Path installed;

  private record Run(int exitCode, String out, String err) {}

  @BeforeEach
  void replaceTools() throws IOException {
    installed = directory.resolve("installed");
    for (String tool : List.of("apt-get", "sudo")) {
      Path program = directory.resolve(tool);
      Files.writeString(program, "#!/bin/sh\necho \"$0 $*\" >> '" + installed + "'\n");
      assertThat(program.toFile().setExecutable(true)).isTrue();
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
    List<String> command = new ArrayList<>(List.of("bash", "../scripts/install-hipcc"));
    command.addAll(List.of(arguments));
    Path err = directory.resolve("err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(Map.of("PATH", directory + ":/usr/bin:/bin"));
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Run(process.waitFor(), out, Files.readString(err));
  }
}
