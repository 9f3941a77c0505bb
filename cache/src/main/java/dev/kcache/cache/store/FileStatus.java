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
 * @param path the file
 * @param attributes of the {@code unix} view; on Windows only those that all views have
 * @param when time of the look
 */
record FileStatus(Path path, Map<String, Object> attributes, Instant when) {
  /** By number: a lookup of names is slow, and users of containers often have none. */
  private static final String UNIX = "unix:dev,ino,mode,uid,gid,size,lastModifiedTime,ctime";

  private static final String BASIC = "fileKey,size,lastModifiedTime,creationTime";

  /**
   * Examines a path; does not follow a link.
   *
   * @throws IOException if it does not exist or cannot be examined
   */
  static FileStatus at(Path path) throws IOException {
    Instant now = Instant.now();
    return new FileStatus(
        path, Files.readAttributes(path, names(path), LinkOption.NOFOLLOW_LINKS), now);
  }

  /**
   * Examines what a path leads to.
   *
   * @throws IOException as {@link #at}
   */
  static FileStatus behind(Path path) throws IOException {
    Instant now = Instant.now();
    return new FileStatus(path, Files.readAttributes(path, names(path)), now);
  }

  private static String names(Path path) {
    return Rights.areModes(path.getFileSystem()) ? UNIX : BASIC;
  }

  /** Returns the owner and the permissions. */
  Rights rights() throws IOException {
    return Rights.areModes(path.getFileSystem()) ? Rights.of(attributes) : Rights.at(path);
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
