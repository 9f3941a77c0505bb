// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Warnings that a process logs once each, however many managers it has. Safe for use by any number
 * of threads.
 */
public final class Notices {
  /** Static, since a log belongs to the process, and managers don't know of each other. */
  private static final Set<String> GIVEN = ConcurrentHashMap.newKeySet();

  private Notices() {}

  /**
   * Logs a warning once per process.
   *
   * @param logger takes the warning
   * @param notice the whole line; another line is another warning
   */
  public static void warn(System.Logger logger, String notice) {
    requireNonNull(notice, "notice");
    warn(logger, notice, notice);
  }

  /**
   * Logs the first warning of this process about a subject.
   *
   * @param logger takes the warning
   * @param about the subject, by any text that is unique for it
   * @param notice the whole line
   */
  public static void warn(System.Logger logger, String about, String notice) {
    requireNonNull(logger, "logger");
    requireNonNull(about, "about");
    requireNonNull(notice, "notice");
    if (GIVEN.add(about)) {
      logger.log(System.Logger.Level.WARNING, notice);
    }
  }

  /** Forgets all warnings, as in a new process; for tests. */
  public static void clear() {
    GIVEN.clear();
  }
}
