// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code KCACHE_LOG} may say: the least severe records that are printed. */
enum LogLevel {
  DEBUG,
  INFO,
  WARNING,
  ERROR,
  OFF;

  /** The environment variable that holds the level. */
  static final String VARIABLE = "KCACHE_LOG";

  /**
   * Returns the level that the environment asks for, {@link #WARNING} if it does not.
   *
   * @throws IllegalArgumentException if the variable holds anything but the name of a level
   */
  static LogLevel of(Map<String, String> environment) {
    String value = environment.getOrDefault(VARIABLE, "");
    if (value.isEmpty()) {
      return WARNING;
    }
    return Arrays.stream(values())
        .filter(level -> level.text().equals(value.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(problem(value)));
  }

  /** Returns whether records of {@code level} are printed. */
  boolean prints(System.Logger.Level level) {
    return this != OFF && level.getSeverity() >= severity();
  }

  private int severity() {
    return System.Logger.Level.valueOf(name()).getSeverity();
  }

  private String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static String problem(String value) {
    return VARIABLE
        + "='"
        + value
        + "' is no log level; it is one of "
        + Arrays.stream(values()).map(LogLevel::text).collect(Collectors.joining(", "));
  }
}
