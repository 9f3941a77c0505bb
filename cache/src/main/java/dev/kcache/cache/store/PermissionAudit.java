// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Finding.Kind;
import dev.kcache.cache.trust.Rights;
import dev.kcache.cache.trust.Trust;
import dev.kcache.toolchain.AccessList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Finds files and directories that others can write or that belong to someone else, and, in a
 * layer, those that its readers cannot read. Safe for use by any number of threads.
 */
final class PermissionAudit {
  private static final int OTHERS_WRITE = 0022;
  private static final int EVERYBODY_WRITES = 0002;

  /** What helps where another user put something into a directory. */
  private static final String REMOVE = "remove it, or have its owner do so";

  /** Set on shared directories such as {@code /tmp}. */
  private static final int STICKY = 01000;

  private final Path root;
  private final Trust trust;
  private final Access access;
  private final boolean forOthers;
  private final boolean repairs;
  private final Consumer<Finding> findings;

  /**
   * Creates an audit.
   *
   * @param findings receives the findings, on any thread
   */
  PermissionAudit(
      Path root, Trust trust, Access access, boolean repairs, Consumer<Finding> findings) {
    this.root = root;
    this.trust = trust;
    this.access = access;
    this.repairs = repairs;
    this.findings = findings;
    // A root that is closed to others closes everything in it.
    forOthers = access == Access.LAYER && !access.isDenied(root);
  }

  /** Returns whether nobody else can write a path, once it has been repaired if need be. */
  boolean isTrusted(Path path) {
    Optional<String> distrust =
        path.equals(root) ? trust.objection(path) : trust.objection(path, REMOVE);
    if (distrust.isEmpty()) {
      return true;
    }
    if (repairs) {
      change(path, 0, trust.isForGroup() ? EVERYBODY_WRITES : OTHERS_WRITE);
    }
    boolean repaired = trust.objection(path).isEmpty();
    if (!repaired || repairs) {
      add(path, distrust.get(), repaired);
    }
    return repaired;
  }

  /** Checks a file or directory that is part of an entry. */
  void check(Path path) {
    if (isTrusted(path) && forOthers && Access.LAYER.isDenied(path)) {
      add(path, "cannot be read by the others it is for", isOpened(path));
    }
  }

  private boolean isOpened(Path path) {
    if (repairs) {
      Access all = Access.LAYER;
      change(path, Files.isDirectory(path) ? all.directoryMode() : all.fileMode(), 0);
    }
    return !Access.LAYER.isDenied(path);
  }

  /**
   * Changes no file that has links, soft or hard, or where others could place one now: the change
   * would reach the file behind the link.
   */
  private void change(Path path, int added, int removed) {
    try {
      if (!Rights.areModes(path.getFileSystem())) {
        closeOnWindows(path, removed);
        return;
      }
      PosixFileAttributes attributes =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // A set of permissions would lose the setgid bit.
      int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if (isLinked(path, attributes) || !isKept(path) || (mode & STICKY) != 0) {
        return;
      }
      Files.setAttribute(path, "unix:mode", ((mode & 07777) | added) & ~removed);
    } catch (IOException e) {
      // Gone, or not ours: then it stays a finding.
    }
  }

  /** A layer's readers need rights that a private file has not: there the user has to decide. */
  private void closeOnWindows(Path path, int removed) throws IOException {
    Rights rights = Rights.at(path);
    if (access == Access.PRIVATE && removed != 0 && !rights.isLink() && isKept(path)) {
      AccessList.close(path);
    }
  }

  private static boolean isLinked(Path path, PosixFileAttributes attributes) throws IOException {
    return !attributes.isDirectory()
        && (!attributes.isRegularFile()
            || !Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS).equals(1));
  }

  /** Returns whether nobody else can replace the path; for the root, that is up to the user. */
  private boolean isKept(Path path) {
    Path parent = path.getParent();
    return path.equals(root) || (parent != null && trust.objection(parent).isEmpty());
  }

  private void add(Path path, String problem, boolean repaired) {
    findings.accept(new Finding(Kind.PERMISSIONS, path, problem, repaired));
  }
}
