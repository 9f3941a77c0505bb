// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.nio.file.Path;

/**
 * What files take of a disk, in blocks of 4 KiB as most file systems have them. Their sizes alone
 * would say a third of it: most records and many code objects are smaller than a block.
 */
final class DiskSpace {
  /** Of a small directory. */
  static final long DIRECTORY = 4096;

  private static final long BLOCK = 4096;

  private DiskSpace() {}

  /** Returns what a file of so many bytes takes. */
  static long of(long size) {
    return (size + BLOCK - 1) / BLOCK * BLOCK;
  }

  /** Returns what a directory takes with all that is in it, as far as it can be looked at. */
  static long ofTree(Path tree) {
    FileRemover all = FileRemover.planned();
    all.removeTree(tree);
    return all.result().bytes();
  }
}
