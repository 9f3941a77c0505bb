// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.trust.Trust;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;

/** Tells which files and directories nobody else can have written; logs those that others can. */
final class TrustedDirectories {
  private final Trust trust;

  TrustedDirectories(Trust trust) {
    this.trust = trust;
  }

  /** Returns whether a file or directory is trusted. */
  boolean isTrusted(Path path) {
    return isTrusted(path, trust.objection(path));
  }

  /**
   * Returns whether a file that looks like this is trusted.
   *
   * @throws IOException if that cannot be told
   */
  boolean isTrusted(Path path, FileStatus look) throws IOException {
    return isTrusted(path, trust.objection(path, look.rights()));
  }

  private static boolean isTrusted(Path path, Optional<String> distrust) {
    if (distrust.isPresent()) {
      log().log(Level.DEBUG, () -> "not using " + path + ": it " + distrust.get());
    }
    return distrust.isEmpty();
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(TrustedDirectories.class.getName());
  }
}
