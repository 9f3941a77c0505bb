// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.trust.Rights;
import dev.kcache.cache.trust.Trust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The permissions of what a store creates, whatever the umask of the process. Windows has the
 * private ones; there a layer gets the list of the directory that it is made in, and none belongs
 * to a group.
 */
public enum Access {
  /** For the owner alone: 0700 and 0600. */
  PRIVATE(0700, 0600),

  /** Written by the owner, read by everybody: a directory that becomes part of an image. */
  LAYER(0755, 0644),

  /** Written and read by a group: directories give their group to what is made in them. */
  GROUP(02770, 0660);

  private final int directories;
  private final int files;

  Access(int directories, int files) {
    this.directories = directories;
    this.files = files;
  }

  /** Returns whose files are believed in a directory with this access. */
  Trust trustIn(Path root) {
    return this == GROUP ? Trust.sharedBy(root) : Trust.OF_THIS_USER;
  }

  int directoryMode() {
    return directories;
  }

  int fileMode() {
    return files;
  }

  /**
   * Returns whether a path lacks a permission that users other than its owner should have; false if
   * it does not exist, or its file system has no modes.
   */
  boolean isDenied(Path path) {
    if (!Rights.areModes(path.getFileSystem())) {
      return false;
    }
    int mode = Files.isDirectory(path) ? directories : files;
    try {
      return !Files.getPosixFilePermissions(path)
          .containsAll(PosixFilePermissions.fromString(Rights.permissions(mode & 077)));
    } catch (IOException e) {
      return false;
    }
  }
}
