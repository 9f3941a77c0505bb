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
 * Finds files and directories that others can write or that belong to someone else, and, in a
 * layer, those that its readers cannot read. Safe for use by any number of threads.
 */
final class PermissionAudit {
  private final Trust trust;
  private final boolean forOthers;
  private final @Nullable DirectoryRepair repair;
  private final Consumer<Finding> findings;

  /**
   * Creates an audit.
   *
   * @param trust whose files are believed in the directory
   * @param access whom the directory is for
   * @param repair corrects what is found; null to change nothing
   * @param findings receives what is found, on any thread
   */
  PermissionAudit(
      Path root,
      Trust trust,
      Access access,
      @Nullable DirectoryRepair repair,
      Consumer<Finding> findings) {
    this.trust = trust;
    this.repair = repair;
    this.findings = findings;
    // Whoever closed the root to others closed all of it.
    forOthers = access == Access.LAYER && !access.isDenied(root);
  }

  /** Returns whether nobody else can write a file or directory, after a repair if there is one. */
  boolean isTrusted(Path path) {
    Optional<String> distrust = trust.objection(path);
    if (distrust.isEmpty()) {
      return true;
    }
    if (repair != null) {
      repair.closeForWriting(path);
    }
    boolean repaired = trust.objection(path).isEmpty();
    if (!repaired || repair != null) {
      add(path, distrust.get(), repaired);
    }
    return repaired;
  }

  /** Checks a file or directory that is part of an entry. */
  void check(Path path) {
    if (isTrusted(path) && forOthers && Access.LAYER.isDenied(path)) {
      add(path, "cannot be read by the others whom it is for", isOpened(path));
    }
  }

  private boolean isOpened(Path path) {
    if (repair != null) {
      repair.openForReading(path);
    }
    return !Access.LAYER.isDenied(path);
  }

  private void add(Path path, String problem, boolean repaired) {
    findings.accept(new Finding(Kind.PERMISSIONS, path, problem, repaired));
  }
}
