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
 * What the system knows of a file without reading it: its identity, its owner, who may write it,
 * its size and the times of its last changes.
 *
 * @param attributes of the {@code unix} view
 * @param when it was looked at
 */
record FileStatus(Map<String, Object> attributes, Instant when) {
  /** By number: a name is looked up each time, and a container's user often has none. */
  private static final String ATTRIBUTES = "unix:dev,ino,mode,uid,gid,size,lastModifiedTime,ctime";

  /**
   * Looks at what has a name; a link is looked at itself.
   *
   * @throws IOException if it is not there or can't be looked at
   */
  static FileStatus at(Path path) throws IOException {
    Instant now = Instant.now();
    return new FileStatus(Files.readAttributes(path, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS), now);
  }

  /** Returns whether it is a regular file rather than a directory, a link or a pipe. */
  boolean isRegularFile() throws IOException {
    return rights().isRegularFile();
  }

  /** Returns its owner and who may write it. */
  Rights rights() throws IOException {
    return Rights.of(attributes);
  }

  /** Returns whether it was last modified longer ago than that, when it was looked at. */
  boolean isOlderThan(long millis) {
    return attributes.get("lastModifiedTime") instanceof FileTime modified
        && modified.toMillis() < when.toEpochMilli() - millis;
  }

  /** Returns whether it is the same file, unchanged. */
  boolean isSameAs(FileStatus other) {
    return attributes.equals(other.attributes);
  }
}
