// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates files and directories that only this user may read or write, whatever the umask is, which
 * may even remove permissions of the owner. On Windows their access control lists name this user
 * alone; a file system that has neither has no private files.
 */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private PrivateFiles() {}

  /**
   * Creates an empty file.
   *
   * @param file in a directory that exists
   * @return the file, which only this user can read and write
   * @throws FileAlreadyExistsException if something has that name
   */
  public static Path createFile(Path file) throws IOException {
    requireNonNull(file, "file");
    return make(file, FILE, mode -> Files.createFile(file, mode));
  }

  /**
   * Creates a directory.
   *
   * @param directory in a directory that exists
   * @return the directory, which only this user can enter
   * @throws FileAlreadyExistsException if something has that name
   */
  public static Path createDirectory(Path directory) throws IOException {
    requireNonNull(directory, "directory");
    return make(directory, DIRECTORY, mode -> Files.createDirectory(directory, mode));
  }

  /**
   * Creates a directory and its missing parents.
   *
   * @param directory may exist already
   * @throws IOException if one can't be created
   */
  public static void createDirectories(Path directory) throws IOException {
    requireNonNull(directory, "directory");
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.getParent();
    if (parent != null) {
      createDirectories(parent);
    }
    try {
      var unused = createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      // Another process may have been faster.
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
  }

  /**
   * Creates an empty file with an unpredictable name.
   *
   * @param parent a directory that exists
   * @param prefix how the name begins
   * @param suffix how the name ends
   * @return the file, which only this user can read and write
   * @throws IOException if it can't be created
   */
  public static Path createTemporaryFile(Path parent, String prefix, String suffix)
      throws IOException {
    requireNonNull(parent, "parent");
    requireNonNull(prefix, "prefix");
    requireNonNull(suffix, "suffix");
    return make(parent, FILE, mode -> Files.createTempFile(parent, prefix, suffix, mode));
  }

  /**
   * Creates a directory whose name ends with a random number of 64 bits.
   *
   * @param parent a directory that exists
   * @param prefix how the name begins
   * @return the directory, which only this user can enter
   * @throws IOException if it can't be created
   */
  public static Path createTemporaryDirectory(Path parent, String prefix) throws IOException {
    requireNonNull(parent, "parent");
    requireNonNull(prefix, "prefix");
    return make(parent, DIRECTORY, mode -> Files.createTempDirectory(parent, prefix, mode));
  }

  /**
   * Makes all files of a tree private; executable files stay executable. Follows no link.
   *
   * @param tree a directory, or a single file
   * @throws IOException if permissions of a file can't be changed; others may have been
   */
  public static void close(Path tree) throws IOException {
    requireNonNull(tree, "tree");
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            close(directory, DIRECTORY);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              close(file, isProgram(file) ? DIRECTORY : FILE);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static Path make(Path place, Set<PosixFilePermission> mode, AccessList.Making making)
      throws IOException {
    FileSystem system = place.getFileSystem();
    if (isPosix(system)) {
      Path made = making.by(PosixFilePermissions.asFileAttribute(mode));
      return Files.setPosixFilePermissions(made, mode);
    }
    return AccessList.isKeptBy(system) ? AccessList.makeClosed(system, making) : making.by();
  }

  private static void close(Path path, Set<PosixFilePermission> mode) throws IOException {
    if (isPosix(path.getFileSystem())) {
      Files.setPosixFilePermissions(path, mode);
    } else if (AccessList.isKeptBy(path.getFileSystem())) {
      AccessList.close(path);
    }
  }

  private static boolean isProgram(Path file) throws IOException {
    return isPosix(file.getFileSystem())
        && Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS)
            .contains(PosixFilePermission.OWNER_EXECUTE);
  }

  private static boolean isPosix(FileSystem system) {
    return system.supportedFileAttributeViews().contains("posix");
  }
}
