// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.trust.PathTrust;
import dev.kcache.cache.trust.Rights;
import dev.kcache.cache.trust.Trust;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What can be done with a cache directory, at the time of a look.
 *
 * <p>A directory is trusted if only this user and root can have written to it or can replace it.
 * SHA-256 finds damage, but a user who can write a code object can write a record that names it.
 *
 * @param exists whether the directory is there
 * @param readable whether entries may be read from it
 * @param writable whether entries may be written to it
 * @param fault one line that says why it is not fully usable
 */
record DirectoryStatus(boolean exists, boolean readable, boolean writable, Optional<String> fault) {
  /** What to do about a directory that no room and no permission helps. */
  static final String ANOTHER = "set KCACHE_DIR or --cache-dir to a directory that can be written";

  /** What helps where a directory belongs to another user. */
  private record Remedies(String untrusted, String unreadable) {
    /** Who names the cache directory can name another one. */
    static final Remedies OWN =
        new Remedies(
            "set KCACHE_DIR or --cache-dir to a directory of your own",
            "set KCACHE_DIR or --cache-dir to a directory of your own");

    /** A layer is meant for its readers. */
    static final Remedies LAYER =
        new Remedies(
            "choose one of your own or root's",
            "have its owner run 'chmod -R go+rX' on it, or choose another one");
  }

  /** The result of one look at a directory, whoever uses it. */
  private record Look(boolean exists, Optional<String> objection) {
    private static final Look MISSING = new Look(false, Optional.empty());

    static Look at(Path root, Trust trust, Remedies remedies) {
      try {
        PathTrust path = PathTrust.to(root, trust);
        if (path.objection().isPresent()) {
          return new Look(true, Optional.of("is reached through " + path.objection().get()));
        }
        return path.rights() == null
            ? MISSING
            : new Look(true, objectionToReading(path.end(), path.rights(), trust, remedies));
      } catch (NoSuchFileException e) {
        // Removed during the look: not a fault, and the next look may find another.
        return MISSING;
      } catch (IOException e) {
        return new Look(true, Optional.of("cannot be examined (" + FileFault.reason(e) + ")"));
      }
    }
  }

  /** Returns the status of a directory whose files {@code trust} has to believe. */
  static DirectoryStatus of(Path root, Trust trust) {
    if (trust.isForGroup() && !Rights.areModes(root.getFileSystem())) {
      return unusable(root, "cannot be shared with a group on Windows; unset KCACHE_SHARED");
    }
    Look look = Look.at(root, trust, Remedies.OWN);
    if (look.objection().isPresent()) {
      return unusable(root, look.objection().get());
    }
    try {
      if (look.exists() && !allows(root, AccessMode.WRITE)) {
        return new DirectoryStatus(
            true, true, false, Optional.of(message(root, "cannot be written: it is read-only")));
      }
    } catch (NoSuchFileException e) {
      return ofMissing(root);
    }
    return look.exists()
        ? new DirectoryStatus(true, true, true, Optional.empty())
        : ofMissing(root);
  }

  /**
   * Returns the status of a layer, which is only read and whose files {@code trust} has to believe.
   */
  static DirectoryStatus ofLayer(Path root, Trust trust) {
    Look look = Look.at(root, trust, Remedies.LAYER);
    Optional<String> objection = look.exists() ? look.objection() : Optional.of("does not exist");
    return new DirectoryStatus(
        look.exists(),
        objection.isEmpty(),
        false,
        objection.map(problem -> "not using layer " + root + ": it " + problem));
  }

  /** Returns this status of a directory that is not to be written. */
  DirectoryStatus asOnlyRead() {
    return new DirectoryStatus(exists, readable, false, fault);
  }

  /**
   * Returns one line that says why a cache directory cannot be read by one who does not use it as
   * such; empty if it can be.
   */
  static Optional<String> faultForReaders(Path root, Trust trust) {
    return Look.at(root, trust, Remedies.LAYER).objection().map(problem -> message(root, problem));
  }

  private static Optional<String> objectionToReading(
      Path root, Rights rights, Trust trust, Remedies remedies) throws IOException {
    if (!rights.isDirectory()) {
      return Optional.of("is not a directory; " + remedies.untrusted());
    }
    if (trust.isForGroup() && !rights.isForItsGroup()) {
      return Optional.of(
          "is not shared with its group ("
              + rights
              + "); run 'chmod 2770' on it, or unset KCACHE_SHARED");
    }
    Optional<String> distrust = trust.objection(root, rights, remedies.untrusted());
    return distrust.isPresent() || allows(root, AccessMode.READ, AccessMode.EXECUTE)
        ? distrust
        : Optional.of(
            "cannot be read by this user; "
                + (Trust.isMine(root, rights) ? "run 'chmod u+rwx' on it" : remedies.unreadable()));
  }

  /** Distinguishes a missing permission from a directory that is gone. */
  private static boolean allows(Path root, AccessMode... modes) throws NoSuchFileException {
    try {
      root.getFileSystem().provider().checkAccess(root, modes);
      return true;
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the status of a directory that was missing; another process may have created it. */
  static DirectoryStatus ofMissing(Path root) {
    if (Files.isSymbolicLink(root) && !Files.exists(root)) {
      return unusable(
          root, "is a symbolic link to nothing; remove it, or make the directory that it names");
    }
    Path ancestor = root.getParent();
    while (ancestor != null && !Files.exists(ancestor)) {
      ancestor = ancestor.getParent();
    }
    if (ancestor == null || !Files.isDirectory(ancestor) || !Files.isWritable(ancestor)) {
      String why =
          ancestor == null || Files.isDirectory(ancestor)
              ? ", which this user cannot write; "
              : ", which is not a directory; ";
      String problem = "cannot be created in " + ancestor + why + ANOTHER;
      return new DirectoryStatus(false, true, false, Optional.of(message(root, problem)));
    }
    return new DirectoryStatus(false, true, true, Optional.empty());
  }

  private static DirectoryStatus unusable(Path root, String problem) {
    return new DirectoryStatus(true, false, false, Optional.of(message(root, problem)));
  }

  private static String message(Path root, String problem) {
    return "cache directory " + root + " " + problem;
  }
}
