// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * What tells, without reading it, whether a file is still the one it was: device, inode, size, and
 * the times of its last change. It is good on one machine only.
 *
 * @param text the canonical text form; {@code absent} for a file that isn't there
 * @param changed when the file last changed; the beginning of time if it isn't there
 */
record FileStamp(String text, Instant changed) {
  /** How long after a change a second one might leave the same stamp, generously. */
  private static final Duration GRANULARITY = Duration.ofSeconds(2);

  private static final FileStamp ABSENT = new FileStamp("absent", Instant.MIN);

  /** Returns the stamp of the file that a path leads to now. */
  static FileStamp of(Path path) {
    Map<String, Object> attributes;
    try {
      attributes = Files.readAttributes(path, "unix:dev,ino,mode,size,lastModifiedTime,ctime");
    } catch (IOException e) {
      return ABSENT;
    }
    Instant changed =
        attributes.values().stream()
            .filter(FileTime.class::isInstance)
            .map(time -> ((FileTime) time).toInstant())
            .max(Comparator.naturalOrder())
            .orElse(Instant.MIN);
    return new FileStamp(new TreeMap<>(attributes).toString(), changed);
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
    return changed.isBefore(now.minus(GRANULARITY));
  }
}
