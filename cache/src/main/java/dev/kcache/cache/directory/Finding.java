// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.directory;

import java.nio.file.Path;

/**
 * Something that is wrong in a cache directory or a layer.
 *
 * @param kind what kind of thing
 * @param file the file or directory
 * @param problem what is wrong with it, on one line
 * @param repaired whether that has been mended
 */
public record Finding(Kind kind, Path file, String problem, boolean repaired) {

  /** What is wrong, and what a repair does about it. */
  public enum Kind {
    /** It is not what its name promises: it is moved to {@code quarantine/}. */
    DAMAGED,

    /** A record whose code object or list of dependencies is gone: it is removed. */
    INCOMPLETE,

    /** A code object or list of dependencies that no record names: it is removed. */
    ORPHAN,

    /** What a killed writer left a day ago or earlier: it is removed. */
    LEFTOVER,

    /**
     * Others can write it, it belongs to someone else, or its intended readers cannot read it: its
     * permissions are changed, if it is this user's own.
     */
    PERMISSIONS,

    /** It cannot be read: nothing is done. */
    UNREADABLE
  }
}
