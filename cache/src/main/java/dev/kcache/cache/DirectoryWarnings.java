// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this process has warned of: each problem of a directory or a variable once, however many
 * managers have it. What is wrong with it stays wrong.
 *
 * <p>Safe for use by any number of threads.
 */
final class DirectoryWarnings {
  /**
   * A static with state, which this project avoids. But a log belongs to the process, managers know
   * nothing of each other, and each caller would have to hand a shared object to all of its
   * managers. At worst a warning is missing or comes twice, which changes no result.
   */
  private static final Set<Warned> WARNED = ConcurrentHashMap.newKeySet();

  private record Warned(Kind kind, String directory) {}

  /** A kind of problem. */
  enum Kind {
    UNUSABLE,
    CONCEALED,
    OUTDATED,
    NOT_TEMPORARY,
    NO_PATH
  }

  private DirectoryWarnings() {}

  /** Returns whether to warn: whether this is the first time that it is asked in this process. */
  static boolean isNew(Kind kind, Object directory) {
    return WARNED.add(new Warned(kind, directory.toString()));
  }

  /** Begins anew, as another process would. */
  static void clear() {
    WARNED.clear();
  }
}
