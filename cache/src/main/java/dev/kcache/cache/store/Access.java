// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Who may read what a store writes. Nobody but the owner may ever write it. */
public enum Access {
  /** The owner alone: 0700 and 0600. */
  PRIVATE("rwx------", "rw-------"),

  /** Everybody, for a directory that becomes part of an image: 0755 and 0644. */
  LAYER("rwxr-xr-x", "rw-r--r--");

  private final String directories;
  private final String files;

  Access(String directories, String files) {
    this.directories = directories;
    this.files = files;
  }

  Set<PosixFilePermission> directoryPermissions() {
    return PosixFilePermissions.fromString(directories);
  }

  Set<PosixFilePermission> filePermissions() {
    return PosixFilePermissions.fromString(files);
  }
}
