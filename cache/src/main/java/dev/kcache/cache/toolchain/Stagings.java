// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * The staging directories that compiles run in. A batch uses those again that its compiles have
 * given back, once they are {@linkplain Staging#empty empty}; otherwise each is deleted.
 *
 * <p>Safe for use by any number of threads.
 */
final class Stagings implements AutoCloseable {
  private final Supplier<Path> parent;
  private final boolean reuse;
  private final Deque<Staging> idle = new ArrayDeque<>();
  private boolean closed;

  /**
   * Creates none yet.
   *
   * @param parent where they are made
   * @param reuse whether many compiles are to come
   */
  Stagings(Supplier<Path> parent, boolean reuse) {
    this.parent = parent;
    this.reuse = reuse;
  }

  /**
   * Returns an empty one, to be given back or closed. It lies where one that is made now would: a
   * directory that has become full is left.
   *
   * @throws ToolchainNotFoundException as {@link Staging#create}
   */
  Staging take() {
    Path place = parent.get();
    synchronized (this) {
      while (!idle.isEmpty()) {
        Staging staging = idle.pop();
        if (staging.isSound()) {
          if (staging.isIn(place)) {
            return staging;
          }
          staging.close();
        }
      }
    }
    return Staging.create(() -> place);
  }

  /** Takes one back in which nothing runs any more. */
  void giveBack(Staging staging) {
    if (!reuse || !isEmptied(staging) || !keep(staging)) {
      staging.close();
    }
  }

  private static boolean isEmptied(Staging staging) {
    try {
      staging.empty();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private synchronized boolean keep(Staging staging) {
    if (!closed) {
      idle.push(staging);
    }
    return !closed;
  }

  /** Deletes all but those that are in use, which are deleted when they are given back. */
  @Override
  public synchronized void close() {
    closed = true;
    idle.forEach(Staging::close);
    idle.clear();
  }
}
