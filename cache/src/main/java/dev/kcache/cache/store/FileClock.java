// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;

/**
 * The clock of a cache directory's file system. That of a file server may differ from ours, so it
 * is read from a file that was just created.
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
   * Returns the time; that of our own clock if there is no room for a file.
   *
   * @throws NoSuchFileException if the root does not exist
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
