// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.AclEntry;
import java.nio.file.attribute.AclEntryFlag;
import java.nio.file.attribute.AclEntryPermission;
import java.nio.file.attribute.AclEntryType;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The owner and the access control list of a file or directory. Others are all but this user and
 * the machine's administrators. What the list denies is not looked at: it can only take away.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class AccessList {
  /** Some change a file or what is in a directory, others let do so later. */
  private static final Set<AclEntryPermission> WRITING =
      EnumSet.of(
          AclEntryPermission.WRITE_DATA,
          AclEntryPermission.APPEND_DATA,
          AclEntryPermission.DELETE,
          AclEntryPermission.DELETE_CHILD,
          AclEntryPermission.WRITE_ACL,
          AclEntryPermission.WRITE_OWNER);

  /** To make new files in a directory exchanges none of those that are there. */
  private static final Set<AclEntryPermission> EXCHANGING =
      EnumSet.of(
          AclEntryPermission.DELETE,
          AclEntryPermission.DELETE_CHILD,
          AclEntryPermission.WRITE_ACL,
          AclEntryPermission.WRITE_OWNER);

  /** Nobody can delete or rename a drive. */
  private static final Set<AclEntryPermission> EXCHANGING_IN_A_ROOT =
      EnumSet.of(
          AclEntryPermission.DELETE_CHILD,
          AclEntryPermission.WRITE_ACL,
          AclEntryPermission.WRITE_OWNER);

  private final Path path;
  private final UserPrincipal owner;
  private final List<AclEntry> entries;
  private final Principals principals;

  private AccessList(
      Path path, UserPrincipal owner, List<AclEntry> entries, Principals principals) {
    this.path = path;
    this.owner = owner;
    this.entries = entries;
    this.principals = principals;
  }

  /**
   * {@return whether a file system has such lists, and not owners and modes as POSIX has them}
   *
   * @param system that of a path
   */
  public static boolean isKeptBy(FileSystem system) {
    requireNonNull(system, "system");
    Set<String> views = system.supportedFileAttributeViews();
    return views.contains("acl") && !views.contains("posix");
  }

  /**
   * {@return the owner and the list of what has a name} A link is looked at itself.
   *
   * @param path on a file system that keeps such lists
   * @throws IOException if there is nothing, or it can't be read
   */
  public static AccessList of(Path path) throws IOException {
    requireNonNull(path, "path");
    Principals principals = Principals.of(path.getFileSystem());
    AclFileAttributeView view = view(path);
    return new AccessList(path, view.getOwner(), view.getAcl(), principals);
  }

  private static AclFileAttributeView view(Path path) throws IOException {
    AclFileAttributeView view =
        Files.getFileAttributeView(path, AclFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    if (view == null) {
      throw new IOException(path + " has no access control list");
    }
    return view;
  }

  /** {@return whether it belongs to the user of this process} */
  public boolean isMine() {
    return owner.equals(principals.user());
  }

  /** {@return whether it belongs to the system or its administrators} */
  public boolean isAdministrators() {
    return principals.isAdministrator(owner);
  }

  /** {@return the names of the others that may change it or, in a directory, what is in it} */
  public List<String> writers() {
    return others(WRITING);
  }

  /** {@return the names of the others that may read it} */
  public List<String> readers() {
    return others(EnumSet.of(AclEntryPermission.READ_DATA));
  }

  /** {@return whether others may exchange it, or what is in it} */
  public boolean isExchangeable() {
    return !others(path.getParent() == null ? EXCHANGING_IN_A_ROOT : EXCHANGING).isEmpty();
  }

  private List<String> others(Set<AclEntryPermission> rights) {
    if (entries.isEmpty()) {
      // As Java shows a file that has no list: then everybody may do everything.
      return List.of("everybody");
    }
    return entries.stream()
        .filter(entry -> grants(entry, rights))
        .map(AclEntry::principal)
        .filter(other -> !other.equals(principals.user()) && !principals.isAdministrator(other))
        .map(UserPrincipal::getName)
        .distinct()
        .toList();
  }

  /** Returns whether an entry is about the file itself and grants one of the rights. */
  static boolean grants(AclEntry entry, Set<AclEntryPermission> rights) {
    return entry.type() == AclEntryType.ALLOW
        && !entry.flags().contains(AclEntryFlag.INHERIT_ONLY)
        && !Collections.disjoint(entry.permissions(), rights);
  }

  /** What makes a file or directory with attributes that it has from its first moment on. */
  @FunctionalInterface
  interface Making {
    Path by(FileAttribute<?>... attributes) throws IOException;
  }

  /**
   * Makes a file or directory that is for this user alone, and so is what is made in it.
   *
   * @throws IOException if it can't be made, or be closed to others; then nothing is made
   */
  static Path makeClosed(FileSystem system, Making making) throws IOException {
    Path made;
    try {
      made = making.by(ofThisUser(system));
    } catch (UnsupportedOperationException e) {
      made = making.by();
    }
    try {
      // What the directory above hands down may have been added.
      close(made);
      return made;
    } catch (IOException e) {
      Files.deleteIfExists(made);
      throw e;
    }
  }

  private static FileAttribute<List<AclEntry>> ofThisUser(FileSystem system) throws IOException {
    List<AclEntry> entries = entriesOfThisUser(system);
    return new FileAttribute<>() {
      @Override
      public String name() {
        return "acl:acl";
      }

      @Override
      public List<AclEntry> value() {
        return entries;
      }
    };
  }

  private static List<AclEntry> entriesOfThisUser(FileSystem system) throws IOException {
    return List.of(
        AclEntry.newBuilder()
            .setType(AclEntryType.ALLOW)
            .setPrincipal(Principals.of(system).user())
            .setPermissions(EnumSet.allOf(AclEntryPermission.class))
            .setFlags(AclEntryFlag.FILE_INHERIT, AclEntryFlag.DIRECTORY_INHERIT)
            .build());
  }

  /**
   * Closes a file or directory to all but this user, and looks whether it is.
   *
   * @param path what is there
   * @throws IOException if it isn't, since its drive has no such lists or they can't be changed
   */
  public static void close(Path path) throws IOException {
    requireNonNull(path, "path");
    view(path).setAcl(entriesOfThisUser(path.getFileSystem()));
    List<String> writers = of(path).writers();
    if (!writers.isEmpty()) {
      throw new IOException(
          path
              + " is to be for this user alone, and "
              + String.join(", ", writers)
              + " can write it; choose a directory on a drive with NTFS");
    }
  }
}
