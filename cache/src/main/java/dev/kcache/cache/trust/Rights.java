// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whose a file is and who may write it. With an access control list the group's bits are the most
 * that the list gives to anybody but the owner, so that a list by which others write shows here.
 *
 * @param mode kind and permissions, as {@code st_mode} has them
 * @param uid the number of the owner; a container's user often has no name
 * @param gid the number of the group
 */
public record Rights(int mode, int uid, int gid) {
  private static final int KIND = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int LINK = 0120000;
  private static final int SET_GROUP_ID = 02000;
  private static final int STICKY = 01000;
  private static final int GROUP_WRITES = 0020;
  private static final int OTHERS_WRITE = 0002;

  /**
   * Looks at what has a name; a link is looked at itself.
   *
   * @throws IOException if there is nothing, or its file system tells no rights
   */
  public static Rights at(Path path) throws IOException {
    return of(Files.readAttributes(path, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS));
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
    throw new IOException("its file system tells no owner and permissions");
  }

  /** Returns whether it is a directory. */
  public boolean isDirectory() {
    return (mode & KIND) == DIRECTORY;
  }

  boolean isLink() {
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
