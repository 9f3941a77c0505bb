// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.io.PrintStream;
import java.text.MessageFormat;
import java.util.Locale;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** A logger that prints each record as one line. Safe for use by any number of threads. */
final class StderrLogger implements System.Logger {
  private final String name;
  private final Level level;
  private final String lineStart;
  private final PrintStream stream;

  /** Creates a logger that prints records from {@code level} on, each after {@code lineStart}. */
  StderrLogger(String name, Level level, String lineStart, PrintStream stream) {
    this.name = name;
    this.level = level;
    this.lineStart = lineStart;
    this.stream = stream;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public boolean isLoggable(Level record) {
    return level != Level.OFF && record.getSeverity() >= level.getSeverity();
  }

  @Override
  public void log(
      Level record,
      @Nullable ResourceBundle bundle,
      @Nullable String message,
      @Nullable Throwable thrown) {
    if (isLoggable(record)) {
      String text = String.valueOf(message);
      print(record, thrown == null ? text : text + ": " + thrown);
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
    String line = record.name().toLowerCase(Locale.ROOT) + ": " + Text.oneLine(text);
    stream.println(lineStart + "kcache: " + line);
  }
}
