// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
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
  private static final Integer ROOT_UID = 0;
  private static final int WRITABLE_BY_OTHERS = 0b000_010_010;
  private static final Optional<Object> ME = me();

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
      return distrust(path, FileLook.at(path));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("cannot be examined (" + e + ")");
    }
  }

  /**
   * Returns why a file or directory is not trusted; nothing if it is.
   *
   * @throws IOException if that cannot be told
   */
  static Optional<String> distrust(Path path, FileLook look) throws IOException {
    if ((look.mode() & WRITABLE_BY_OTHERS) != 0) {
      return Optional.of(
          "can be written by other users ("
              + PosixFilePermissions.toString(Files.getPosixFilePermissions(path))
              + "); run 'chmod go-w' on it or choose another one");
    }
    return isMineOrRoots(path, look.uid())
        ? Optional.empty()
        : Optional.of(
            "belongs to " + Files.getOwner(path).getName() + "; choose one of your own or root's");
  }

  private static boolean isMineOrRoots(Path path, Object uid) throws IOException {
    return ROOT_UID.equals(uid)
        || (ME.isPresent() ? ME.get().equals(uid) : Files.getOwner(path).equals(me(path)));
  }

  /** Returns the number of this process's user, where the system tells it. */
  private static Optional<Object> me() {
    try {
      return Optional.of(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static UserPrincipal me(Path path) throws IOException {
    String name = ProcessHandle.current().info().user().orElse("");
    return path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name);
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
    Optional<String> distrust = distrust(root);
    return distrust.isPresent() || (Files.isReadable(root) && Files.isExecutable(root))
        ? distrust
        : Optional.of(
            "cannot be read by this user; have its owner run 'chmod -R go+rX' on it, or choose"
                + " another one");
  }

  /** Returns the standing of one that was missing a moment ago; somebody may have made it since. */
  static Standing ofMissing(Path root) {
    if (Files.isSymbolicLink(root) && !Files.exists(root)) {
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
