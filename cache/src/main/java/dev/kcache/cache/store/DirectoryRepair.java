// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.trust.Trust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Mends what a {@link Verifier} finds, as long as it is done: whoever asks looks again whether it
 * helped. Safe for use by any number of threads.
 */
final class DirectoryRepair {
  private static final int OTHERS_WRITE = 0022;
  private static final int EVERYBODY_WRITES = 0002;

  /** Of directories that are not ours, such as {@code /tmp}. */
  private static final int STICKY = 01000;

  private final Path root;
  private final Trust trust;
  private final Quarantine quarantine;
  private final EntryRemover remover;
  private final Sweeper sweeper;

  DirectoryRepair(
      Path root, Trust trust, Quarantine quarantine, EntryRemover remover, Sweeper sweeper) {
    this.root = root;
    this.trust = trust;
    this.quarantine = quarantine;
    this.remover = remover;
    this.sweeper = sweeper;
  }

  /** Moves a damaged file to quarantine; returns whether it was damaged and could be moved. */
  boolean setAside(Path file, CheckedReader.Check<?> check) {
    return quarantine.moveAside(file, check);
  }

  /** Sees to it that nobody can write a file or directory but those whom it is for. */
  void closeForWriting(Path path) {
    change(path, 0, trust.isForGroup() ? EVERYBODY_WRITES : OTHERS_WRITE);
  }

  /** Sees to it that everybody can read a file or directory. */
  void openForReading(Path path) {
    Access all = Access.LAYER;
    int mode = Files.isDirectory(path) ? all.directoryMode() : all.fileMode();
    change(path, mode, 0);
  }

  /**
   * Not by way of links, soft or hard, nor where others may put one this moment: it would be what
   * they lead to that is changed.
   */
  private void change(Path path, int added, int removed) {
    try {
      PosixFileAttributes attributes =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // By number: a set of permissions would lose the bit that gives files their group.
      int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if (isLinked(path, attributes) || !isKept(path) || (mode & STICKY) != 0) {
        return;
      }
      Files.setAttribute(path, "unix:mode", ((mode & 07777) | added) & ~removed);
    } catch (IOException e) {
      // It is gone, or it is not ours: then it stays a finding.
    }
  }

  private static boolean isLinked(Path path, PosixFileAttributes attributes) throws IOException {
    return !attributes.isDirectory()
        && (!attributes.isRegularFile()
            || !Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS).equals(1));
  }

  /** Returns whether nobody else can put something in its place; of the root its user knows. */
  private boolean isKept(Path path) {
    Path parent = path.getParent();
    return path.equals(root) || (parent != null && trust.objection(parent).isEmpty());
  }

  /**
   * Removes records, and what only they name.
   *
   * @param records with the time of each: one that is newer by now stays
   */
  void remove(Map<RecordFile, Instant> records) {
    remover.remove(records, List.of(), () -> false, remover.fileRemover());
  }

  /** Removes what no record names. */
  void removeUnreferenced() {
    remover.removeUnreferenced();
  }

  /** Removes what killed writers left. */
  void removeLeftovers(List<Path> leftovers) {
    sweeper.remove(leftovers);
  }
}
