// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Moves damaged files aside.
 *
 * <p>Another process may replace a damaged file at any moment. So a caller reads a file twice
 * before it calls it damaged, and a file that was moved aside is checked once more: if it is sound,
 * a writer was faster, and the file is moved back unless there is a newer one. Safe for use by any
 * number of threads.
 */
final class Quarantine {
  private final DirectoryLayout directory;
  private final FileOperations files;
  private final Access access;
  private final AtomicLong count = new AtomicLong();

  Quarantine(DirectoryLayout directory, FileOperations files, Access access) {
    this.directory = directory;
    this.files = files;
    this.access = access;
  }

  long count() {
    return count.get();
  }

  /** Moves a damaged file aside; returns false if it cannot be moved or has become sound. */
  boolean moveAside(Path file, Check<?> check) {
    Path aside = directory.newQuarantined(file);
    try {
      makeDirectory();
      files.rename(file, aside);
      if (isSound(aside, check)) {
        giveBack(aside, file);
        return false;
      }
      moveSignature(file, aside);
      count.incrementAndGet();
      log().log(Level.INFO, "{0} was damaged or revoked and is now {1}", file, aside);
      return true;
    } catch (IOException e) {
      // It stays, or another reader moved it: a miss in either case, and never served.
      return false;
    }
  }

  /** The signatures of a record go with it; younger ones are those of the next record. */
  private void moveSignature(Path file, Path aside) throws IOException {
    if (DirectoryLayout.isRecord(file)) {
      Path signature = DirectoryLayout.signature(file);
      Optional<BasicFileAttributes> found = EntryRemover.look(signature);
      if (found.isPresent()
          && found.get().lastModifiedTime().compareTo(Files.getLastModifiedTime(aside)) <= 0) {
        files.rename(signature, DirectoryLayout.signature(aside));
      }
    }
  }

  /** A file that appeared meanwhile is newer. One that appears after this check is replaced. */
  private void giveBack(Path aside, Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      files.delete(aside);
    } else {
      files.rename(aside, file);
    }
  }

  private void makeDirectory() throws IOException {
    if (!Files.isDirectory(directory.quarantine())) {
      try {
        files.createDirectory(directory.quarantine(), access);
      } catch (FileAlreadyExistsException e) {
        return;
      }
    }
  }

  /** Reads and checks a file. */
  @FunctionalInterface
  interface Check<T> {
    /**
     * Returns the content; empty if the file is missing, unreadable or of another version.
     *
     * @throws DamagedEntryException if it is not what its name promises
     */
    Optional<T> read(Path file) throws DamagedEntryException;
  }

  private static boolean isSound(Path file, Check<?> check) {
    try {
      return check.read(file).isPresent();
    } catch (DamagedEntryException e) {
      return false;
    }
  }

  /** Created on demand: the first logger of a process takes 30 ms. */
  private static Logger log() {
    return System.getLogger(Quarantine.class.getName());
  }
}
