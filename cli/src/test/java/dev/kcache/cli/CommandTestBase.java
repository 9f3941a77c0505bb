// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole command in a directory and an environment of its own. */
@Timeout(60)
abstract class CommandTestBase {
  @TempDir Path directory;
  CommandRunner command;

  @BeforeEach
  final void createCommand() {
    command = new CommandRunner(directory);
  }

  /** Runs the command, which has to succeed. */
  final Run succeeds(Object... arguments) {
    return ends(ExitCode.OK, arguments);
  }

  /** Runs the command, which has to end with this exit code. */
  final Run ends(int exitCode, Object... arguments) {
    Run run = command.run(arguments);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    return run;
  }

  /** Has the command print to a terminal of that width. */
  final void onATerminal(int columns) {
    command.outIsTerminal = true;
    command.columns = columns;
  }

  /** Sets variables of the command's environment, in pairs. */
  final void put(String... variables) {
    for (int i = 0; i < variables.length; i += 2) {
      command.environment.put(variables[i], variables[i + 1]);
    }
  }
}
