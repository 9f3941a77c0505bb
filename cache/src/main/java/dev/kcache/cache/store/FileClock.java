// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;

/**
 * The clock by which a cache directory's files have their times. That of a file server may differ
 * from ours, so it is read off a file that was made just now.
 */
final class FileClock {
  private final DirectoryLayout directory;
  private final FileOperations files;
  private final Access access;

  FileClock(DirectoryLayout directory, FileOperations files, Access access) {
    this.directory = directory;
    this.files = files;
    this.access = access;
  }

  /**
   * Returns the time; ours if there is no room for a file: then something is about to be removed.
   *
   * @throws NoSuchFileException if the root is not there
   */
  Instant now() throws IOException {
    Path touched = directory.temporaryIn(directory.root());
    try {
      files.createFile(touched, access);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      return Instant.now();
    }
    try {
      return Files.getLastModifiedTime(touched).toInstant();
    } finally {
      files.delete(touched);
    }
  }
}
