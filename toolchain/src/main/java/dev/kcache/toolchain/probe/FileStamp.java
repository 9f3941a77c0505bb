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
 * Tells, without reading a file, whether it has changed: device, inode, size, and the times of the
 * last change. Valid on one machine only.
 *
 * @param text the canonical text form; {@code absent} for a file that isn't there
 * @param modified when its content last changed; the beginning of time if it isn't there
 * @param changed when its content or attributes last changed, which no user can set; the beginning
 *     of time if it isn't there
 * @param regular whether it is a regular file
 */
record FileStamp(String text, FileTime modified, FileTime changed, boolean regular) {
  /** An upper bound on the time after a change in which a second one might leave the same stamp. */
  private static final Duration GRANULARITY = Duration.ofSeconds(2);

  private static final FileTime NEVER = FileTime.fromMillis(Long.MIN_VALUE);
  private static final FileStamp ABSENT = new FileStamp("absent", NEVER, NEVER, false);

  /**
   * Returns the stamp of the file that a path leads to now.
   *
   * <p>Reads the attributes in two steps: the view that has them all builds a map, which takes a
   * new process twice as long. A file that changes between the two gets a stamp that no file has.
   */
  static FileStamp of(Path path) {
    try {
      BasicFileAttributes basic = Files.readAttributes(path, BasicFileAttributes.class);
      FileTime changed = changed(path, basic);
      StringBuilder text = new StringBuilder();
      text.append(basic.fileKey()).append(' ').append(basic.size());
      text.append(' ').append(nanos(basic.lastModifiedTime())).append(' ').append(nanos(changed));
      return new FileStamp(
          text.toString(), basic.lastModifiedTime(), changed, basic.isRegularFile());
    } catch (IOException e) {
      return ABSENT;
    }
  }

  /** Where Java knows no time of the last change, a file that was replaced has another birth. */
  private static FileTime changed(Path path, BasicFileAttributes basic) throws IOException {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix")
        ? (FileTime) Files.getAttribute(path, "unix:ctime")
        : basic.creationTime();
  }

  /**
   * Returns the stamp of the file with this name; {@code absent} for a name that no file can have.
   */
  static FileStamp of(String name) {
    try {
      return of(Path.of(name));
    } catch (InvalidPathException e) {
      return ABSENT;
    }
  }

  /**
   * Returns whether the file last changed long enough before {@code now} for the stamp to be
   * reliable.
   */
  boolean isSettled(Instant now) {
    FileTime limit = FileTime.from(now.minus(GRANULARITY));
    return modified.compareTo(limit) < 0 && changed.compareTo(limit) < 0;
  }

  private static long nanos(FileTime time) {
    return time.to(TimeUnit.NANOSECONDS);
  }
}
