// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.AclEntry;
import java.nio.file.attribute.AclEntryPermission;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * This user and those who may write everything on a machine with Windows.
 *
 * <p>Java tells no security identifiers, and Windows translates the names of its groups. So those
 * are administrators as well that may write Windows itself: its directory is known by its owner,
 * which has one name in all languages and whose files no user can make.
 */
final class Principals {
  private static final String INSTALLER = "NT SERVICE\\TRUSTEDINSTALLER";

  /** In English, and as numbers, which stand for names that the system does not find. */
  private static final Set<String> ADMINISTRATORS =
      Set.of(
          INSTALLER,
          "NT AUTHORITY\\SYSTEM",
          "BUILTIN\\ADMINISTRATORS",
          "S-1-5-18",
          "S-1-5-32-544",
          "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464");

  private static final Map<FileSystem, Principals> KNOWN =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final UserPrincipal user;
  private final Set<UserPrincipal> writersOfWindows;

  private Principals(UserPrincipal user, Set<UserPrincipal> writersOfWindows) {
    this.user = user;
    this.writersOfWindows = writersOfWindows;
  }

  /**
   * Returns those of a file system, which are looked up once.
   *
   * @throws IOException if the system doesn't know this user
   */
  static Principals of(FileSystem system) throws IOException {
    Principals known = KNOWN.get(system);
    if (known == null) {
      known = new Principals(thisUser(system), writersOfWindows(system));
      KNOWN.put(system, known);
    }
    return known;
  }

  private static UserPrincipal thisUser(FileSystem system) throws IOException {
    String name =
        ProcessHandle.current()
            .info()
            .user()
            .orElseThrow(() -> new IOException("the system doesn't tell this process's user"));
    return user(system, name);
  }

  static UserPrincipal user(FileSystem system, String name) throws IOException {
    try {
      return system.getUserPrincipalLookupService().lookupPrincipalByName(name);
    } catch (UserPrincipalNotFoundException e) {
      throw new IOException("the system doesn't know this process's user, '" + name + "'");
    }
  }

  private static Set<UserPrincipal> writersOfWindows(FileSystem system) {
    Set<UserPrincipal> writers = new HashSet<>();
    for (Path root : system.getRootDirectories()) {
      Path windows = root.resolve("Windows");
      try {
        if (isNamed(Files.getOwner(windows, LinkOption.NOFOLLOW_LINKS), Set.of(INSTALLER))) {
          AclFileAttributeView view =
              Files.getFileAttributeView(
                  windows, AclFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
          view.getAcl().stream()
              .filter(entry -> AccessList.grants(entry, Set.of(AclEntryPermission.WRITE_DATA)))
              .map(AclEntry::principal)
              .forEach(writers::add);
        }
      } catch (IOException e) {
        // Not there: the names have to do.
      }
    }
    return writers;
  }

  private static boolean isNamed(UserPrincipal principal, Set<String> names) {
    return names.contains(principal.getName().toUpperCase(Locale.ROOT));
  }

  UserPrincipal user() {
    return user;
  }

  /** Returns whether it is the system or its administrators. */
  boolean isAdministrator(UserPrincipal principal) {
    return isNamed(principal, ADMINISTRATORS) || writersOfWindows.contains(principal);
  }
}
