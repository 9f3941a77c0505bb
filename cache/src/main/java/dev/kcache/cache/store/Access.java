// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

/** Who may read and write what a store makes, whatever the umask of the process says. */
public enum Access {
  /** The owner alone: 0700 and 0600. */
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

  /** Returns the permissions of directories, as {@code chmod} takes them. */
  int directoryMode() {
    return directories;
  }

  /** Returns the permissions of files, as {@code chmod} takes them. */
  int fileMode() {
    return files;
  }
}
