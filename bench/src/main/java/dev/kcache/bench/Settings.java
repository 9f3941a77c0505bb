// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * The command line.
 *
 * @param cProgram the compiled {@code gpu.c}; empty to measure kcache alone
 * @param json the file for the table as JSON, if wanted
 * @param commit the measured commit, as the caller says; may be empty
 * @param effort the amount of measuring
 */
record Settings(Optional<Path> cProgram, Optional<Path> json, String commit, Effort effort) {
  /** The usage of the program, in one line. */
  static final String USAGE =
      "usage: GpuBenchmark [--c PROGRAM] [--json FILE] [--commit ID] [--rehearse]";

  /**
   * Parses the arguments.
   *
   * @throws IllegalArgumentException if they do not match {@link #USAGE}
   */
  static Settings parse(List<String> arguments) {
    Settings settings = new Settings(Optional.empty(), Optional.empty(), "", Effort.FULL);
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      settings = settings.with(rest.next(), rest);
    }
    return settings;
  }

  private Settings with(String option, Iterator<String> rest) {
    return switch (option) {
      case "--rehearse" -> new Settings(cProgram, json, commit, Effort.REHEARSAL);
      case "--c" -> new Settings(Optional.of(Path.of(value(rest))), json, commit, effort);
      case "--json" -> new Settings(cProgram, Optional.of(Path.of(value(rest))), commit, effort);
      case "--commit" -> new Settings(cProgram, json, value(rest), effort);
      default -> throw new IllegalArgumentException(USAGE);
    };
  }

  private static String value(Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new IllegalArgumentException(USAGE);
    }
    return rest.next();
  }
}
