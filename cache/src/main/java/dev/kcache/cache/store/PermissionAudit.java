// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.trust.Rights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds out whether others can use an entry that is meant for them. What a store makes for others
 * they can use; but a directory or an entry that was there before may be private, and is left so: a
 * store does not open what it did not close.
 */
final class PermissionAudit {
  private PermissionAudit() {}

  /** Returns whether some part of an entry's path, from the root on, is closed to others. */
  static boolean hides(DirectoryLayout directory, CacheEntry entry, Access access) {
    Set<PosixFilePermission> forDirectories = forOthers(access.directoryMode());
    Set<PosixFilePermission> forFiles = forOthers(access.fileMode());
    Request request = Request.of(entry);
    Stream<Path> directories =
        Stream.of(
            directory.root(),
            directory.targetDirectory(request.target(), request.label()),
            directory.requestDirectory(request));
    Stream<Path> files =
        Stream.of(
            directory.codeObject(request, entry.codeObject()),
            directory.dependencies(request, entry.dependencies()),
            directory.dependencies(request, entry.toolchainFiles()),
            directory.record(request, entry.toolchain()).file());
    return directories.anyMatch(path -> lacks(path, forDirectories))
        || files.anyMatch(path -> lacks(path, forFiles));
  }

  private static Set<PosixFilePermission> forOthers(int mode) {
    return PosixFilePermissions.fromString(Rights.permissions(mode & 077));
  }

  /** Returns whether a directory or a file is closed to others. */
  static boolean hides(Path path, Access access) {
    return lacks(
        path, forOthers(Files.isDirectory(path) ? access.directoryMode() : access.fileMode()));
  }

  private static boolean lacks(Path path, Set<PosixFilePermission> wanted) {
    try {
      return !Files.getPosixFilePermissions(path).containsAll(wanted);
    } catch (IOException e) {
      // Removed meanwhile: nothing to tell.
      return false;
    }
  }
}
