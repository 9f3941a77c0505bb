// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The loggers of the command: one line per record on standard error, from the level that {@code
 * KCACHE_LOG} names. The Java runtime finds this class as a service, so that java.logging, with its
 * configuration and its start-up time, is not needed. Safe for use by any number of threads.
 */
public final class StderrLoggers extends System.LoggerFinder {
  private static final String VARIABLE = "KCACHE_LOG";
  private static final List<String> LEVELS = List.of("debug", "info", "warning", "error", "off");

  private final Map<String, System.Logger> loggers = new ConcurrentHashMap<>();
  private final Level level;
  private final String lineStart;

  /** Creates the loggers of this process. */
  public StderrLoggers() {
    this(System.getenv(), Integer.getInteger(Console.COLUMNS_PROPERTY, 0) > 0);
  }

  StderrLoggers(Map<String, String> environment, boolean terminal) {
    this.level = levelOrDefault(environment);
    // A progress bar may be there; it is drawn again at its next turn.
    this.lineStart = terminal ? ProgressBar.ERASE_LINE : "";
  }

  @Override
  public System.Logger getLogger(String name, Module module) {
    return loggers.computeIfAbsent(name, this::logger);
  }

  // The runtime's own debug records, such as that of each exit, are not what is asked for.
  private System.Logger logger(String name) {
    boolean ours = name.startsWith("dev.kcache.");
    boolean tooMuch = !ours && level.compareTo(Level.WARNING) < 0;
    return new StderrLogger(name, tooMuch ? Level.WARNING : level, lineStart, System.err);
  }

  /**
   * Returns the least severe level that is printed: the one that {@code KCACHE_LOG} names, {@link
   * Level#WARNING} if it is not set.
   *
   * @throws IllegalArgumentException if the variable names no level
   */
  static Level level(Map<String, String> environment) {
    String value = environment.getOrDefault(VARIABLE, "");
    if (value.isEmpty()) {
      return Level.WARNING;
    }
    String name = value.toLowerCase(Locale.ROOT);
    if (!LEVELS.contains(name)) {
      throw new IllegalArgumentException(
          "%s='%s' is no log level; it is one of %s"
              .formatted(VARIABLE, value, String.join(", ", LEVELS)));
    }
    return Level.valueOf(name.toUpperCase(Locale.ROOT));
  }

  // The command reports a wrong value; a logger is no place to end the process.
  private static Level levelOrDefault(Map<String, String> environment) {
    try {
      return level(environment);
    } catch (IllegalArgumentException e) {
      return Level.WARNING;
    }
  }
}
