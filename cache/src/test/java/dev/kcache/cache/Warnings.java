// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Hears what a class warns of, until it is closed. */
final class Warnings implements AutoCloseable {
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

  static Warnings of(Class<?> warner) {
    return of(warner.getName());
  }

  /** As {@link #of(Class)}, of a class that another package hides. */
  static Warnings of(String warner) {
    return new Warnings(Logger.getLogger(warner));
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
  }
}
