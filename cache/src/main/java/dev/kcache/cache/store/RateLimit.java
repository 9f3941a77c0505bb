// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Limits an action to once an hour among all users of a directory. The modification time of a file,
 * the mark, is the last turn, by the clock of the file system. Two processes that ask at the same
 * instant may both get the turn.
 *
 * <p>Safe for use by any number of threads and processes.
 */
final class RateLimit {
  private static final Duration INTERVAL = Duration.ofHours(1);

  private final DirectoryLayout directory;
  private final FileOperations files;
  private final Access access;
  private final Path mark;

  RateLimit(DirectoryLayout directory, FileOperations files, Access access, Path mark) {
    this.directory = directory;
    this.files = files;
    this.access = access;
    this.mark = mark;
  }

  /** Takes a turn and returns its time; empty if none is due. */
  Optional<Instant> takeIfDue() throws IOException {
    if (!mayBeDue()) {
      return Optional.empty();
    }
    Instant now = new FileClock(directory, files, access).now();
    Optional<Instant> last = modified(mark);
    return last.isPresent() && !last.get().isBefore(now.minus(INTERVAL))
        ? Optional.empty()
        : Optional.of(take());
  }

  /** Takes a turn, due or not, and returns its time. */
  Instant take() throws IOException {
    Path touched = directory.temporaryIn(directory.root());
    files.createFile(touched, access);
    try {
      Instant now = Files.getLastModifiedTime(touched).toInstant();
      files.rename(touched, mark);
      return now;
    } catch (IOException e) {
      files.discard(touched, e);
      throw e;
    }
  }

  /** Returns whether a turn may be due by our own clock; cheap, since it writes nothing. */
  boolean mayBeDue() throws IOException {
    Optional<Instant> last = modified(mark);
    return last.isEmpty()
        || Duration.between(last.get(), Instant.now()).abs().compareTo(INTERVAL) > 0;
  }

  private static Optional<Instant> modified(Path file) throws IOException {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        ? Optional.of(Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant())
        : Optional.empty();
  }
}
