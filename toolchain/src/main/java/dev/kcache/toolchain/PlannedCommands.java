// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.util.List;
import java.util.stream.Stream;

/**
 * The commands that a compiler driver would run for the file {@link #FILE}, and the configuration
 * files that it read.
 *
 * @param commands each the program and its arguments, with temporary names taken out
 * @param configuration the driver's configuration files
 */
public record PlannedCommands(List<List<String>> commands, List<String> configuration) {
  /** The file that a question to a driver is about. */
  public static final String FILE = "query.hip";

  /** Stands for a temporary file. */
  public static final String TEMPORARY = "(temporary)";

  /**
   * Stands among the commands for a warning, which the driver itself gives, and only if it runs.
   */
  public static final List<String> WARNING = List.of("(warning)");

  /** Copies the lists. */
  public PlannedCommands {
    commands = commands.stream().map(List::copyOf).toList();
    configuration = List.copyOf(configuration);
  }

  /** Returns these commands and one more. */
  public PlannedCommands with(List<String> command) {
    return new PlannedCommands(
        Stream.concat(commands.stream(), Stream.of(command)).toList(), configuration);
  }
}
