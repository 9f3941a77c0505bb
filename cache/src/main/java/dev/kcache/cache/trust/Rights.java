// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trust;

import dev.kcache.toolchain.AccessList;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whose a file is and who may write it. With an access control list the group's bits are the most
 * that the list gives to anybody but the owner, so that a list by which others write shows here.
 *
 * <p>Those of a file of Windows are told in the same words: everybody writes if anybody does but
 * this user and the administrators, who stand for root; and a directory is sticky where those
 * others can make something, but exchange nothing.
 *
 * @param mode kind and permissions, as {@code st_mode} has them
 * @param uid the number of the owner; a container's user often has no name
 * @param gid the number of the group
 */
public record Rights(int mode, int uid, int gid) {
  private static final String UNKNOWN = "its file system tells no owner and permissions";

  private static final int KIND = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int LINK = 0120000;
  private static final int SET_GROUP_ID = 02000;
  private static final int STICKY = 01000;
  private static final int GROUP_WRITES = 0020;
  private static final int OTHERS_WRITE = 0002;
  private static final int REGULAR = 0100000;
  private static final int OWNER_DOES_ALL = 0700;

  /** No user or group of POSIX. */
  private static final int SOMEBODY = -2;

  /**
   * Looks at what has a name; a link is looked at itself.
   *
   * @throws IOException if there is nothing, or its file system tells no rights
   */
  public static Rights at(Path path) throws IOException {
    if (areModes(path.getFileSystem())) {
      return of(Files.readAttributes(path, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS));
    }
    if (AccessList.isKeptBy(path.getFileSystem())) {
      return of(
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS),
          AccessList.of(path),
          path);
    }
    throw new IOException(UNKNOWN);
  }

  /** Returns whether a file system has modes and numbers, which cost one look. */
  public static boolean areModes(FileSystem system) {
    return system.supportedFileAttributeViews().contains("unix");
  }

  private static Rights of(BasicFileAttributes attributes, AccessList list, Path path)
      throws IOException {
    int mode = OWNER_DOES_ALL | kind(attributes, path);
    if (!list.writers().isEmpty()) {
      mode |= list.isExchangeable() ? OTHERS_WRITE : OTHERS_WRITE | STICKY;
    }
    int uid = list.isMine() ? Trust.THIS_USER : SOMEBODY;
    return new Rights(mode, list.isAdministrators() ? Trust.ROOT_UID : uid, SOMEBODY);
  }

  /** A junction is a directory that leads elsewhere, and not all directories marked so do. */
  private static int kind(BasicFileAttributes attributes, Path path) throws IOException {
    boolean leadsElsewhere =
        attributes.isDirectory()
            && attributes.isOther()
            && !path.toRealPath().equals(path.toRealPath(LinkOption.NOFOLLOW_LINKS));
    if (attributes.isSymbolicLink() || leadsElsewhere) {
      return LINK;
    }
    return attributes.isDirectory() ? DIRECTORY : REGULAR;
  }

  /**
   * Returns what attributes of the {@code unix} view say.
   *
   * @throws IOException if they lack one of the three
   */
  public static Rights of(Map<String, Object> attributes) throws IOException {
    return new Rights(
        number(attributes.get("mode")),
        number(attributes.get("uid")),
        number(attributes.get("gid")));
  }

  private static int number(@Nullable Object value) throws IOException {
    if (value instanceof Integer number) {
      return number;
    }
    throw new IOException(UNKNOWN);
  }

  /** Returns whether it is a directory. */
  public boolean isDirectory() {
    return (mode & KIND) == DIRECTORY;
  }

  /** Returns whether it is a symbolic link, or leads elsewhere like one. */
  public boolean isLink() {
    return (mode & KIND) == LINK;
  }

  /** Returns whether only the owner of a file in this directory can rename or delete it. */
  boolean isSticky() {
    return (mode & STICKY) != 0;
  }

  /** Returns whether the group of this directory writes it, and gets what is made in it. */
  public boolean isForItsGroup() {
    return groupWrites() && (mode & SET_GROUP_ID) != 0;
  }

  /** Returns whether the group can write it, or somebody in an access control list. */
  boolean groupWrites() {
    return (mode & GROUP_WRITES) != 0;
  }

  boolean everybodyWrites() {
    return (mode & OTHERS_WRITE) != 0;
  }

  /** Returns the permissions, such as {@code rwxr-x---}. */
  @Override
  public String toString() {
    return permissions(mode);
  }

  /** Returns the permissions in a mode, such as {@code rwxr-x---}. */
  public static String permissions(int mode) {
    StringBuilder text = new StringBuilder("rwxrwxrwx");
    for (int bit = 0; bit < text.length(); bit++) {
      if ((mode & (0400 >> bit)) == 0) {
        text.setCharAt(bit, '-');
      }
    }
    return text.toString();
  }
}
