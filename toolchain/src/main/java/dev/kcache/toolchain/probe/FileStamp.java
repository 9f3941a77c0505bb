// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * What tells, without reading it, whether a file is still the one it was: device, inode, size, and
 * the times of its last change. It is good on one machine only.
 *
 * @param text the canonical text form; {@code absent} for a file that isn't there
 * @param modified when its content last changed; the beginning of time if it isn't there
 * @param changed when anything of it last changed, which no user can set; likewise
 * @param regular whether it is a regular file
 */
record FileStamp(String text, FileTime modified, FileTime changed, boolean regular) {
  /** How long after a change a second one might leave the same stamp, generously. */
  private static final Duration GRANULARITY = Duration.ofSeconds(2);

  private static final FileTime NEVER = FileTime.fromMillis(Long.MIN_VALUE);
  private static final FileStamp ABSENT = new FileStamp("absent", NEVER, NEVER, false);

  /**
   * Returns the stamp of the file that a path leads to now.
   *
   * <p>It asks twice, since the one view that has all of this makes a map of it, which takes a
   * process that has just started twice as long. A file that changes in between gets a stamp that
   * no file has.
   */
  static FileStamp of(Path path) {
    try {
      BasicFileAttributes basic = Files.readAttributes(path, BasicFileAttributes.class);
      FileTime changed = (FileTime) Files.getAttribute(path, "unix:ctime");
      StringBuilder text = new StringBuilder();
      text.append(basic.fileKey()).append(' ').append(basic.size());
      text.append(' ').append(nanos(basic.lastModifiedTime())).append(' ').append(nanos(changed));
      return new FileStamp(
          text.toString(), basic.lastModifiedTime(), changed, basic.isRegularFile());
    } catch (IOException e) {
      return ABSENT;
    }
  }

  /** Returns the stamp of the file with this name; a name that no file can have is absent. */
  static FileStamp of(String name) {
    try {
      return of(Path.of(name));
    } catch (InvalidPathException e) {
      return ABSENT;
    }
  }

  /** Returns whether the file has been left alone long enough before {@code now} to be known by. */
  boolean isSettled(Instant now) {
    FileTime limit = FileTime.from(now.minus(GRANULARITY));
    return modified.compareTo(limit) < 0 && changed.compareTo(limit) < 0;
  }

  private static long nanos(FileTime time) {
    return time.to(TimeUnit.NANOSECONDS);
  }
}
