// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * The clock by which a cache directory's files have their times. That of a file server may differ
 * from ours, so it is read off a file that was made just now.
 */
final class FileClock {
  private final CacheDirectory directory;
  private final FileOperations files;
  private final Access access;

  FileClock(CacheDirectory directory, FileOperations files, Access access) {
    this.directory = directory;
    this.files = files;
    this.access = access;
  }

  /**
   * Returns the time.
   *
   * @throws IOException if no file can be made in the root; none is left
   */
  Instant now() throws IOException {
    Path touched = directory.temporaryIn(directory.root());
    files.createFile(touched, access);
    try {
      return Files.getLastModifiedTime(touched).toInstant();
    } finally {
      files.delete(touched);
    }
  }
}
