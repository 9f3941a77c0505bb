// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.apache.maven.plugin.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Leads what kcache logs into Maven's log until it is closed. In Maven's process {@link
 * System.Logger} is java.util.logging, which prints lines of its own form.
 *
 * <p>Goals of a parallel build share the loggers of the process. A record then goes to the goal
 * that began last and is not over, and only the last one to end puts the loggers back.
 */
final class MavenLogging {
  /** Kept here, since java.util.logging forgets loggers that nobody holds. */
  private static final Logger KCACHE = Logger.getLogger("dev.kcache");

  private static final Deque<MavenLogging> OPEN = new ArrayDeque<>();
  private static final Handler HANDLER = new ToMaven();

  private final Log log;

  private MavenLogging(Log log) {
    this.log = log;
  }

  /** Begins to lead records into a log. */
  static MavenLogging to(Log log) {
    MavenLogging logging = new MavenLogging(log);
    synchronized (OPEN) {
      if (OPEN.isEmpty()) {
        KCACHE.setUseParentHandlers(false);
        KCACHE.addHandler(HANDLER);
      }
      OPEN.push(logging);
    }
    return logging;
  }

  /** Ends that. */
  void close() {
    synchronized (OPEN) {
      OPEN.remove(this);
      if (OPEN.isEmpty()) {
        KCACHE.removeHandler(HANDLER);
        KCACHE.setUseParentHandlers(true);
      }
    }
  }

  private static @Nullable Log current() {
    synchronized (OPEN) {
      MavenLogging last = OPEN.peek();
      return last == null ? null : last.log;
    }
  }

  /** Gives records to Maven, with the level that comes closest. */
  private static final class ToMaven extends Handler {
    private final Formatter formatter = new SimpleFormatter();

    @Override
    public void publish(LogRecord record) {
      Log log = current();
      if (log == null || !isLoggable(record)) {
        return;
      }
      String message = formatter.formatMessage(record);
      Throwable thrown = record.getThrown();
      int level = record.getLevel().intValue();
      if (level >= Level.SEVERE.intValue()) {
        log.error(message, thrown);
      } else if (level >= Level.WARNING.intValue()) {
        log.warn(message, thrown);
      } else if (level >= Level.INFO.intValue()) {
        log.info(message, thrown);
      } else {
        log.debug(message, thrown);
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
