// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates files and directories that only this user may read or write, whatever the umask is, which
 * may even remove permissions of the owner.
 */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private PrivateFiles() {}

  private static FileAttribute<Set<PosixFilePermission>> ofFile() {
    return PosixFilePermissions.asFileAttribute(FILE);
  }

  private static FileAttribute<Set<PosixFilePermission>> ofDirectory() {
    return PosixFilePermissions.asFileAttribute(DIRECTORY);
  }

  /**
   * Creates an empty file.
   *
   * @param file in a directory that exists
   * @return the file, which only this user can read and write
   * @throws FileAlreadyExistsException if something has that name
   */
  public static Path createFile(Path file) throws IOException {
    requireNonNull(file, "file");
    return Files.setPosixFilePermissions(Files.createFile(file, ofFile()), FILE);
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
      Files.setPosixFilePermissions(Files.createDirectory(directory, ofDirectory()), DIRECTORY);
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
    return Files.setPosixFilePermissions(
        Files.createTempFile(parent, prefix, suffix, ofFile()), FILE);
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
    return Files.setPosixFilePermissions(
        Files.createTempDirectory(parent, prefix, ofDirectory()), DIRECTORY);
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
            Files.setPosixFilePermissions(directory, DIRECTORY);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              boolean isProgram =
                  Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS)
                      .contains(PosixFilePermission.OWNER_EXECUTE);
              Files.setPosixFilePermissions(file, isProgram ? DIRECTORY : FILE);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
