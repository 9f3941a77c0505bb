// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Moves files aside whose content has failed its check.
 *
 * <p>Another process may replace a damaged file at any moment, so damage is believed only when it
 * is read twice, and what was moved aside is checked once more: if it is sound, a writer was
 * faster, and it goes back, unless there is a newer one by then. Safe for use by any number of
 * threads.
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

  /** Moves a damaged file aside; returns false if it cannot be moved, or is sound by now. */
  boolean moveAside(Path file, Check<?> check) {
    Path aside = directory.newQuarantined(file);
    try {
      makeDirectory();
      files.rename(file, aside);
      if (isSound(aside, check)) {
        giveBack(aside, file);
        return false;
      }
      count.incrementAndGet();
      log().log(Level.INFO, "{0} was damaged and is now {1}", file, aside);
      return true;
    } catch (IOException e) {
      // It stays where it is, or another reader moved it: a miss in any case, and never served.
      return false;
    }
  }

  /** What has come meanwhile is newer. Who writes right behind this look is undone. */
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
     * Returns the content; nothing if the file is missing, cannot be read, or is not for us.
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

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(Quarantine.class.getName());
  }
}
