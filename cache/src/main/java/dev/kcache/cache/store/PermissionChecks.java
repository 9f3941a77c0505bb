// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Finding.Kind;
import dev.kcache.cache.trust.Trust;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds what others can write, what belongs to someone else, and in a directory for others what is
 * closed to them. Safe for use by any number of threads.
 */
final class PermissionChecks {
  private final Trust trust;
  private final boolean forOthers;
  private final @Nullable DirectoryRepair mender;
  private final Consumer<Finding> findings;

  /**
   * Creates the checks.
   *
   * @param trust whose files are believed in the directory
   * @param access whom the directory is for
   * @param mender mends what is found, unless it is null
   * @param findings takes what is found, on whatever thread
   */
  PermissionChecks(
      Path root,
      Trust trust,
      Access access,
      @Nullable DirectoryRepair mender,
      Consumer<Finding> findings) {
    this.trust = trust;
    this.mender = mender;
    this.findings = findings;
    // Who closed the root to others meant all of it.
    forOthers = access == Access.LAYER && !PermissionAudit.hides(root, access);
  }

  /** Returns whether nobody else can write a file or directory, or not any more. */
  boolean isTrusted(Path path) {
    Optional<String> distrust = trust.objection(path);
    if (distrust.isEmpty()) {
      return true;
    }
    if (mender != null) {
      mender.closeForWriting(path);
    }
    boolean mended = trust.objection(path).isEmpty();
    if (!mended || mender != null) {
      add(path, distrust.get(), mended);
    }
    return mended;
  }

  /** Checks a file or directory that is part of an entry. */
  void check(Path path) {
    if (isTrusted(path) && forOthers && PermissionAudit.hides(path, Access.LAYER)) {
      if (mender != null) {
        mender.openForReading(path);
      }
      add(
          path,
          "cannot be read by the others whom it is for",
          !PermissionAudit.hides(path, Access.LAYER));
    }
  }

  private void add(Path path, String problem, boolean mended) {
    findings.accept(new Finding(Kind.PERMISSIONS, path, problem, mended));
  }
}
