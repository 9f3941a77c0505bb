// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trust;

import dev.kcache.toolchain.AccessList;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whose files are believed: root's and this user's, as long as nobody else can write them; in a
 * directory that a group shares, also those of the group.
 *
 * <p>Immutable but for what it learns of a shared directory, and safe for use by any number of
 * threads.
 */
public final class Trust {
  private static final String ANOTHER = "choose one of your own or root's";

  /** Believes root and this user only. */
  public static final Trust OF_THIS_USER = new Trust(null);

  static final int ROOT_UID = 0;
  private static final int UNKNOWN_UID = -1;
  static final int THIS_USER = thisUser();

  private final @Nullable Path shared;
  private volatile @Nullable Rights sharing;

  private Trust(@Nullable Path shared) {
    this.shared = shared;
  }

  /**
   * Returns the trust for a directory that belongs to a group, and for all that is in it. Its group
   * is believed if the directory lets it write, but not everybody; and if root, this user or a
   * group of this user's stands behind that.
   */
  public static Trust sharedBy(Path directory) {
    return new Trust(directory);
  }

  /** Returns whether it is for a directory that is meant for a group, whether that is so or not. */
  public boolean isForGroup() {
    return shared != null;
  }

  /** Returns why what has a name is not believed; nothing if it is, or is not there. */
  public Optional<String> objection(Path path) {
    return objection(path, ANOTHER);
  }

  /**
   * As {@link #objection(Path)}.
   *
   * @param otherwise what to do about one of another user, whose rights this user cannot change
   */
  public Optional<String> objection(Path path, String otherwise) {
    try {
      return objection(path, Rights.at(path), otherwise);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("cannot be examined (" + FileFault.reason(e) + ")");
    }
  }

  /**
   * Returns why a file or directory with these rights is not believed; nothing if it is.
   *
   * @throws IOException if that can't be found out
   */
  public Optional<String> objection(Path path, Rights rights) throws IOException {
    return objection(path, rights, ANOTHER);
  }

  /**
   * As {@link #objection(Path, Rights)}.
   *
   * @param otherwise what to do about one of another user, whose rights this user cannot change
   */
  public Optional<String> objection(Path path, Rights rights, String otherwise) throws IOException {
    if (rights.isLink()) {
      return Optional.of("is a symbolic link; put what it leads to in its place");
    }
    if (rights.everybodyWrites() || (rights.groupWrites() && !isSharing(rights.gid()))) {
      return Optional.of(writtenByOthers(path, rights, otherwise));
    }
    return isMineOrRoots(path, rights) || isSharing(rights.gid())
        ? Optional.empty()
        : Optional.of("belongs to " + owner(path).getName() + "; " + otherwise);
  }

  /**
   * Returns why somebody else could put another child in the place of one; nothing if nobody can.
   *
   * @param childs the rights of the child, null if it is not there
   */
  Optional<String> objectionToParent(
      Path parent, Rights rights, Path child, @Nullable Rights childs) throws IOException {
    if (!isMineOrRoots(parent, rights)
        && !isSharer(rights.uid())
        && !Accounts.ofThisMachine().isUnmapped(rights.uid())) {
      return Optional.of(
          "belongs to "
              + owner(parent).getName()
              + "; choose a directory below your own or root's");
    }
    if (!rights.everybodyWrites() && !(rights.groupWrites() && !isHarmless(rights))) {
      return Optional.empty();
    }
    return rights.isSticky()
            && (childs == null || isMineOrRoots(child, childs) || isSharer(childs.uid()))
        ? Optional.empty()
        : Optional.of(
            writtenByOthers(parent, rights, "choose a directory below your own or root's"));
  }

  /** Root has no private group: it gets no umask that lets its group write. */
  private boolean isHarmless(Rights directory) {
    return isSharing(directory.gid())
        || (directory.uid() == THIS_USER
            && THIS_USER != ROOT_UID
            && Accounts.ofThisMachine().isPrivateGroup(directory.gid(), THIS_USER));
  }

  private static String writtenByOthers(Path path, Rights rights, String otherwise)
      throws IOException {
    if (AccessList.isKeptBy(path.getFileSystem())) {
      List<String> writers = AccessList.of(path).writers();
      return "can be written by %s; run 'icacls \"%s\" /inheritance:d /remove:g \"%s\"' or choose another one"
          .formatted(String.join(", ", writers), path, String.join("\" \"", writers));
    }
    return "can be written by other users ("
        + rights
        + "); "
        + (THIS_USER == ROOT_UID || isMine(path, rights)
            ? "run 'chmod go-w' on it or choose another one"
            : otherwise);
  }

  /** Returns whether a group is the one that shares the directory. */
  private boolean isSharing(int gid) {
    Rights known = sharing();
    return known != null && known.gid() == gid;
  }

  /** Returns whether a user is the one who shares the directory with the group. */
  private boolean isSharer(int uid) {
    Rights known = sharing();
    return known != null && known.uid() == uid;
  }

  /** Returns the rights by which the directory is shared; null if it is not. */
  private @Nullable Rights sharing() {
    Rights known = sharing;
    if (known == null && shared != null) {
      known = lookForSharing(shared);
      // Until it is there, the one that it will be made in stands for it.
      sharing = Files.exists(shared) ? known : null;
    }
    return known;
  }

  private static @Nullable Rights lookForSharing(Path directory) {
    Path existing = directory;
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    try {
      Rights rights = Rights.at(existing.toRealPath());
      return rights.isDirectory()
              && rights.isForItsGroup()
              && !rights.everybodyWrites()
              && (isMineOrRoots(existing, rights)
                  || Accounts.ofThisMachine().isMember(rights.gid()))
          ? rights
          : null;
    } catch (IOException e) {
      return null;
    }
  }

  private static boolean isMineOrRoots(Path path, Rights rights) throws IOException {
    return rights.uid() == ROOT_UID || isMine(path, rights);
  }

  /**
   * Returns whether what has these rights is this user's.
   *
   * @throws IOException if that can't be found out
   */
  public static boolean isMine(Path path, Rights rights) throws IOException {
    return THIS_USER != UNKNOWN_UID
        ? rights.uid() == THIS_USER
        : owner(path).equals(thisUser(path));
  }

  private static UserPrincipal owner(Path path) throws IOException {
    return Files.getOwner(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the number of this process's user, where the system tells it. */
  private static int thisUser() {
    try {
      return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException | UnsupportedOperationException e) {
      return UNKNOWN_UID;
    }
  }

  private static UserPrincipal thisUser(Path path) throws IOException {
    String name = ProcessHandle.current().info().user().orElse("");
    return path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name);
  }
}
