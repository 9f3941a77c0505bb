// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.nio.file.Path;

/**
 * The disk usage of files, in blocks of 4 KiB, as most file systems have them. Sizes alone would be
 * a third of it: most records and many code objects are smaller than a block.
 */
final class DiskSpace {
  /** The usage of a small directory. */
  static final long DIRECTORY = 4096;

  private static final long BLOCK = 4096;

  private DiskSpace() {}

  /** Returns the usage of a file of a size. */
  static long of(long size) {
    return (size + BLOCK - 1) / BLOCK * BLOCK;
  }

  /** Returns the usage of a directory and everything in it that can be examined. */
  static long ofTree(Path tree) {
    FileRemover all = FileRemover.planned();
    all.removeTree(tree);
    return all.result().bytes();
  }
}
