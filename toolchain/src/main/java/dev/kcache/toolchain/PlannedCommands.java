// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.stream.Stream;

/**
 * The commands that a driver would run for {@link #FILE}, and the configuration files that it read.
 *
 * @param commands each a program and its arguments, without temporary names
 * @param configuration the driver's configuration files
 */
public record PlannedCommands(List<List<String>> commands, List<String> configuration) {
  /** The source file in questions to a driver. */
  public static final String FILE = "query.hip";

  /** Stands for a temporary file. */
  public static final String TEMPORARY = "(temporary)";

  /** Stands among the commands for a warning, which only the driver itself prints. */
  public static final List<String> WARNING = List.of("(warning)");

  /**
   * Copies the lists.
   *
   * @param commands each a program and its arguments, without temporary names
   * @param configuration the driver's configuration files
   */
  public PlannedCommands {
    commands = commands.stream().map(List::copyOf).toList();
    configuration = List.copyOf(configuration);
  }

  /**
   * {@return a copy with one more command}
   *
   * @param command the program first
   */
  public PlannedCommands with(List<String> command) {
    requireNonNull(command, "command");
    return new PlannedCommands(
        Stream.concat(commands.stream(), Stream.of(command)).toList(), configuration);
  }
}
