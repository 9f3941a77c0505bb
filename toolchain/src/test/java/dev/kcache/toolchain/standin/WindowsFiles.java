// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
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
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A file system that plays drives of Windows, and a share, in memory: names, case, attributes, and
 * who may write what after an installation. It hands no access control list down, and everybody may
 * do everything, whatever the lists say.
 */
public final class WindowsFiles {
  public static final String SYSTEM = "NT AUTHORITY\\SYSTEM";
  public static final String ADMINISTRATORS = "BUILTIN\\Administrators";
  public static final String INSTALLER = "NT SERVICE\\TrustedInstaller";
  public static final String USERS = "BUILTIN\\Users";
  public static final String AUTHENTICATED = "NT AUTHORITY\\Authenticated Users";

  public static final Set<AclEntryPermission> ALL = EnumSet.allOf(AclEntryPermission.class);
  public static final Set<AclEntryPermission> READ =
      EnumSet.of(AclEntryPermission.READ_DATA, AclEntryPermission.EXECUTE);
  public static final Set<AclEntryPermission> ADD_DIRECTORIES =
      EnumSet.of(AclEntryPermission.ADD_SUBDIRECTORY);

  /** As Windows' own tools understand "modify". */
  public static final Set<AclEntryPermission> MODIFY =
      EnumSet.complementOf(
          EnumSet.of(
              AclEntryPermission.DELETE_CHILD,
              AclEntryPermission.WRITE_ACL,
              AclEntryPermission.WRITE_OWNER));

  private static final FileSystem NAMES = Jimfs.newFileSystem(Configuration.windows());

  private WindowsFiles() {}

  /** Returns new drives, with Windows on {@code C:}, in English. */
  public static FileSystem create() throws IOException {
    return create(SYSTEM, ADMINISTRATORS);
  }

  /** As {@link #create()}, with drives that hold so many bytes together. */
  public static FileSystem create(long size) throws IOException {
    return create(SYSTEM, ADMINISTRATORS, size);
  }

  /** Returns new drives whose system and administrators have these names. */
  public static FileSystem create(String system, String administrators) throws IOException {
    return create(system, administrators, 4L << 30);
  }

  private static FileSystem create(String system, String administrators, long size)
      throws IOException {
    List<AclEntry> ofProfiles =
        List.of(allow(user(), ALL), allow(system, ALL), allow(administrators, ALL));
    FileSystem files =
        Jimfs.newFileSystem(
            Configuration.windows().toBuilder()
                .setRoots("C:\\", "D:\\", "\\\\host\\share\\")
                .setAttributeViews("basic", "owner", "dos", "acl", "user")
                .setMaxSize(size)
                .setDefaultAttributeValue("owner:owner", user())
                .setDefaultAttributeValue("acl:acl", ofProfiles)
                .build());
    Path root = files.getPath("C:\\");
    set(
        root,
        INSTALLER,
        allow(administrators, ALL),
        allow(system, ALL),
        allow(USERS, READ),
        allow(AUTHENTICATED, ADD_DIRECTORIES),
        allow(AUTHENTICATED, MODIFY, AclEntryFlag.INHERIT_ONLY));
    set(
        Files.createDirectory(root.resolve("Windows")),
        INSTALLER,
        allow(INSTALLER, ALL),
        allow(system, MODIFY),
        allow(administrators, MODIFY),
        allow(USERS, READ),
        allow("CREATOR OWNER", ALL, AclEntryFlag.INHERIT_ONLY));
    set(
        Files.createDirectory(root.resolve("Users")),
        system,
        allow(system, ALL),
        allow(administrators, ALL),
        allow(USERS, READ),
        allow("Everyone", READ));
    Files.createDirectories(home(files));
    return files;
  }

  /** Returns the directory for what programs of this user keep. */
  public static Path home(FileSystem files) {
    return files.getPath("C:\\Users\\me\\AppData\\Local");
  }

  /** Returns the name of the user of this process. */
  public static String user() {
    return ProcessHandle.current().info().user().orElseThrow();
  }

  public static UserPrincipal principal(String name) throws IOException {
    return NAMES.getUserPrincipalLookupService().lookupPrincipalByName(name);
  }

  public static AclEntry allow(
      String name, Set<AclEntryPermission> permissions, AclEntryFlag... flags) throws IOException {
    return AclEntry.newBuilder()
        .setType(AclEntryType.ALLOW)
        .setPrincipal(principal(name))
        .setPermissions(permissions)
        .setFlags(flags)
        .build();
  }

  /** Gives a file an owner and a list. */
  public static void set(Path path, String owner, AclEntry... entries) throws IOException {
    Files.setOwner(path, principal(owner));
    view(path).setAcl(List.of(entries));
  }

  /** Adds an entry to a file's list. */
  public static void add(Path path, AclEntry entry) throws IOException {
    List<AclEntry> entries = new ArrayList<>(view(path).getAcl());
    entries.add(entry);
    view(path).setAcl(entries);
  }

  public static AclFileAttributeView view(Path path) {
    return Files.getFileAttributeView(path, AclFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }
}
