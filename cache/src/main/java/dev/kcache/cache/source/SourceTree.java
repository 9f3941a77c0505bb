// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tree of files that a source may come from. Paths are absolute within the tree, separated by
 * {@code /}, without {@code .} and {@code ..}; the root is {@code /}. Two trees are equal if they
 * are the same tree. Safe for use by any number of threads.
 */
public interface SourceTree {
  /** The largest file that is read, in bytes; no source comes near it. */
  int FILE_LIMIT = 64 << 20;

  /**
   * Reads a file; returns null if nothing is there, or a directory.
   *
   * @throws IOException if something is there that cannot be read; the message is one phrase
   */
  byte @Nullable [] read(String path) throws IOException;

  /**
   * Returns whether {@code spelling}, a path that may hold {@code ..}, is there at all.
   *
   * @throws IOException if it is not the file at {@code path}, to which it shortens; the message is
   *     one phrase
   */
  default boolean leadsTo(String spelling, String path) throws IOException {
    return true;
  }

  /** Returns the names in a directory; none if the tree cannot list it. */
  default List<String> list(String path) {
    return List.of();
  }

  /** Returns whether two paths lead to one file. */
  default boolean isSame(String path, String other) {
    return path.equals(other);
  }
}
