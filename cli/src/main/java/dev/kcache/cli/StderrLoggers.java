// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The loggers of the command: one line per record on standard error, wrapped at the width of a
 * terminal, from the level that {@code KCACHE_LOG} names. The Java runtime finds this class as a
 * service, so that java.logging, with its configuration and its start-up time, is not needed. Safe
 * for use by any number of threads.
 */
public final class StderrLoggers extends System.LoggerFinder {
  private static final String VARIABLE = "KCACHE_LOG";
  private static final List<String> LEVELS = List.of("debug", "info", "warning", "error", "off");

  private final Map<String, System.Logger> loggers = new ConcurrentHashMap<>();
  private final Level level;
  private final int columns;
  private final PrintStream stream;

  /** Creates the loggers of this process. */
  public StderrLoggers() {
    this(System.getenv(), Integer.getInteger(Console.COLUMNS_PROPERTY, 0), System.err);
  }

  StderrLoggers(Map<String, String> environment, int columns, PrintStream stream) {
    this.level = levelOrDefault(environment);
    this.columns = columns;
    this.stream = stream;
  }

  @Override
  public System.Logger getLogger(String name, Module module) {
    return loggers.computeIfAbsent(name, this::logger);
  }

  // Nobody asks for the runtime's own debug records, such as that of each exit.
  private System.Logger logger(String name) {
    boolean ours = name.startsWith("dev.kcache.");
    boolean tooMuch = !ours && level.compareTo(Level.WARNING) < 0;
    return new StderrLogger(name, tooMuch ? Level.WARNING : level);
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
          "%s='%s' is not a log level; it is one of %s"
              .formatted(VARIABLE, value, String.join(", ", LEVELS)));
    }
    return Level.valueOf(name.toUpperCase(Locale.ROOT));
  }

  // The command reports a wrong value; a logger must not end the process.
  private static Level levelOrDefault(Map<String, String> environment) {
    try {
      return level(environment);
    } catch (IllegalArgumentException e) {
      return Level.WARNING;
    }
  }

  /** Prints the records of one name from a level on. */
  private final class StderrLogger implements System.Logger {
    private final String name;
    private final Level least;

    StderrLogger(String name, Level least) {
      this.name = name;
      this.least = least;
    }

    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level record) {
      return least != Level.OFF && record.getSeverity() >= least.getSeverity();
    }

    @Override
    public void log(
        Level record,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      if (isLoggable(record)) {
        print(record, thrown == null ? String.valueOf(message) : message + ": " + thrown);
      }
    }

    @Override
    public void log(
        Level record,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object @Nullable ... parameters) {
      if (isLoggable(record)) {
        boolean plain = format == null || parameters == null || parameters.length == 0;
        print(record, plain ? String.valueOf(format) : MessageFormat.format(format, parameters));
      }
    }

    private void print(Level record, String text) {
      String severity = record.name().toLowerCase(Locale.ROOT);
      String line = Console.PREFIX + severity + ": " + Text.oneLine(text);
      // At once, and a progress bar may be there; it is drawn again at its next turn.
      stream.println(
          (columns > 0 ? ProgressBar.ERASE_LINE : "")
              + String.join(System.lineSeparator(), Console.lines(line, columns)));
    }
  }
}
