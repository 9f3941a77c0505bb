// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.standin;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Hears what a class or package warns of, until it is closed. */
public final class Warnings implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            lines.add(record.getMessage());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private Warnings(Logger logger) {
    this.logger = logger;
    logger.addHandler(handler);
  }

  /** Hears a class. */
  public static Warnings of(Class<?> warner) {
    return of(warner.getName());
  }

  /** As {@link #of(Class)}, of a class that another package hides, or of a package. */
  public static Warnings of(String warner) {
    return new Warnings(Logger.getLogger(warner));
  }

  /** Returns what was heard so far. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
  }
}
