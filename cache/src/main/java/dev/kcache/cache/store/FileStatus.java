// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.trust.Rights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;

/**
 * The identity, owner, permissions, size and times of a file.
 *
 * @param attributes of the {@code unix} view
 * @param when time of the look
 */
record FileStatus(Map<String, Object> attributes, Instant when) {
  /** By number: a lookup of names is slow, and users of containers often have none. */
  private static final String ATTRIBUTES = "unix:dev,ino,mode,uid,gid,size,lastModifiedTime,ctime";

  /**
   * Examines a path; does not follow a link.
   *
   * @throws IOException if it does not exist or cannot be examined
   */
  static FileStatus at(Path path) throws IOException {
    Instant now = Instant.now();
    return new FileStatus(Files.readAttributes(path, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS), now);
  }

  /**
   * Examines what a path leads to.
   *
   * @throws IOException as {@link #at}
   */
  static FileStatus behind(Path path) throws IOException {
    Instant now = Instant.now();
    return new FileStatus(Files.readAttributes(path, ATTRIBUTES), now);
  }

  /** Returns the owner and the permissions. */
  Rights rights() throws IOException {
    return Rights.of(attributes);
  }

  /** Returns whether the last modification was longer ago than that at the time of the look. */
  boolean isOlderThan(long millis) {
    return attributes.get("lastModifiedTime") instanceof FileTime modified
        && modified.toMillis() < when.toEpochMilli() - millis;
  }

  /** Returns whether both are of the same file, unchanged. */
  boolean isSameAs(FileStatus other) {
    return attributes.equals(other.attributes);
  }
}
