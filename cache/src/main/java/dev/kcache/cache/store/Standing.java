// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;

/**
 * What may be done with a cache directory, as found when it was looked at.
 *
 * <p>A directory is trusted if nobody but this user and root can have written to it: SHA-256 finds
 * damage, but whoever can write a code object can write a record that names it.
 *
 * @param exists whether the directory is there
 * @param readable whether entries may be read from it
 * @param writable whether entries may be written to it
 * @param fault one line that says why it is not fully usable
 */
record Standing(boolean exists, boolean readable, boolean writable, Optional<String> fault) {
  private static final int ROOT_UID = 0;

  static Standing of(Path root) {
    try {
      PosixFileAttributes attributes = Files.readAttributes(root, PosixFileAttributes.class);
      return attributes.isDirectory() ? ofDirectory(root) : unusable(root, "is not a directory");
    } catch (NoSuchFileException e) {
      return ofMissing(root);
    } catch (IOException e) {
      return unusable(root, "cannot be examined (" + e + ")");
    }
  }

  /** Returns the standing of a directory that is only ever read, whoever filled it. */
  static Standing ofLayer(Path root) {
    try {
      boolean isDirectory = Files.readAttributes(root, PosixFileAttributes.class).isDirectory();
      Optional<String> objection =
          isDirectory ? objectionToReading(root) : Optional.of("is not a directory");
      return ofLayer(root, true, objection);
    } catch (NoSuchFileException e) {
      return ofLayer(root, false, Optional.of("does not exist"));
    } catch (IOException e) {
      return ofLayer(root, true, Optional.of("cannot be examined (" + e + ")"));
    }
  }

  private static Standing ofLayer(Path root, boolean exists, Optional<String> objection) {
    return new Standing(
        exists,
        objection.isEmpty(),
        false,
        objection.map(problem -> "not using layer " + root + ": it " + problem));
  }

  /** Returns why a file or directory is not trusted; nothing if it is, or is not there. */
  static Optional<String> distrust(Path path) {
    try {
      PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
      if (attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
          || attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
        return Optional.of(
            "can be written by other users ("
                + PosixFilePermissions.toString(attributes.permissions())
                + "); run 'chmod go-w' on it or choose another one");
      }
      if (!isMineOrRoots(path, attributes.owner())) {
        return Optional.of(
            "belongs to " + attributes.owner().getName() + "; choose one of your own or root's");
      }
      return Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("cannot be examined (" + e + ")");
    }
  }

  private static boolean isMineOrRoots(Path path, UserPrincipal owner) throws IOException {
    return owner.equals(me(path.getFileSystem()))
        || Files.getAttribute(path, "unix:uid").equals(ROOT_UID);
  }

  private static UserPrincipal me(FileSystem fileSystem) throws IOException {
    Path process = fileSystem.getPath("/proc/self");
    if (Files.exists(process)) {
      // By number: in a container, the user often has no name.
      return Files.getOwner(process);
    }
    String name = ProcessHandle.current().info().user().orElse("");
    return fileSystem.getUserPrincipalLookupService().lookupPrincipalByName(name);
  }

  private static Standing ofDirectory(Path root) {
    Optional<String> objection = objectionToReading(root);
    if (objection.isPresent()) {
      return unusable(root, objection.get());
    }
    if (!Files.isWritable(root)) {
      return new Standing(
          true, true, false, Optional.of(message(root, "cannot be written: it is only read")));
    }
    return new Standing(true, true, true, Optional.empty());
  }

  private static Optional<String> objectionToReading(Path root) {
    return distrust(root)
        .or(
            () ->
                Files.isReadable(root) && Files.isExecutable(root)
                    ? Optional.empty()
                    : Optional.of(
                        "cannot be read by this user; have its owner run 'chmod -R go+rX' on it, or"
                            + " choose another one"));
  }

  private static Standing ofMissing(Path root) {
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return unusable(root, "is a symbolic link to nothing");
    }
    Path ancestor = root.getParent();
    while (ancestor != null && !Files.exists(ancestor)) {
      ancestor = ancestor.getParent();
    }
    if (ancestor == null || !Files.isDirectory(ancestor) || !Files.isWritable(ancestor)) {
      String problem = "cannot be created in " + ancestor + ": nothing is kept there";
      return new Standing(false, true, false, Optional.of(message(root, problem)));
    }
    return new Standing(false, true, true, Optional.empty());
  }

  private static Standing unusable(Path root, String problem) {
    return new Standing(true, false, false, Optional.of(message(root, problem)));
  }

  private static String message(Path root, String problem) {
    return "cache directory " + root + " " + problem;
  }
}
