// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notices that a process gets once each, however many managers have cause to give them. Safe for
 * use by any number of threads.
 */
public final class Notices {
  /**
   * A static with state, since a log belongs to the process and managers know nothing of others.
   */
  private static final Set<String> GIVEN = ConcurrentHashMap.newKeySet();

  private Notices() {}

  /** Logs a warning, unless this process has had it. */
  public static void warn(System.Logger logger, String notice) {
    warn(logger, notice, notice);
  }

  /** Logs a warning, unless this process has had one about the same. */
  public static void warn(System.Logger logger, String about, String notice) {
    if (GIVEN.add(about)) {
      logger.log(System.Logger.Level.WARNING, notice);
    }
  }

  /** Begins anew, as another process would. */
  public static void clear() {
    GIVEN.clear();
  }
}
