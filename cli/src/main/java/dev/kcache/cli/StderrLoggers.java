// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The loggers of the command: one line per record on standard error, from the level that {@code
 * KCACHE_LOG} names. The Java runtime finds this class as a service, so that java.logging, with its
 * configuration and its start-up time, is not needed. Safe for use by any number of threads.
 */
public final class StderrLoggers extends System.LoggerFinder {
  private final Map<String, System.Logger> loggers = new ConcurrentHashMap<>();
  private final LogLevel level;
  private final String lineStart;

  /** Creates the loggers of this process. */
  public StderrLoggers() {
    this(System.getenv(), Integer.getInteger(CliContext.COLUMNS_PROPERTY, 0) > 0);
  }

  StderrLoggers(Map<String, String> environment, boolean terminal) {
    this.level = levelOf(environment);
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
    boolean tooMuch = !ours && level.compareTo(LogLevel.WARNING) < 0;
    return new StderrLogger(name, tooMuch ? LogLevel.WARNING : level, lineStart, System.err);
  }

  // A wrong value is told by the command; a logger is no place to end the process.
  private static LogLevel levelOf(Map<String, String> environment) {
    try {
      return LogLevel.of(environment);
    } catch (IllegalArgumentException e) {
      return LogLevel.WARNING;
    }
  }
}
