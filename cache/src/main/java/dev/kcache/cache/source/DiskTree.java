// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a machine. Reads with streams, since an interrupt would close a channel.
 *
 * <p>On Windows each drive and each share is a directory of the root: {@code /C:/a} and {@code
 * /\\host\share/a}. So a source has the same names below its directories as on Linux. There, too, a
 * name leads to a file only if it is spelt as on the disk: else one source would have as many keys
 * as there are spellings, and other files than on Linux.
 *
 * @param system this machine's
 */
public record DiskTree(FileSystem system) implements SourceTree {
  /** The files of this machine. */
  public DiskTree() {
    this(FileSystems.getDefault());
  }

  /** Returns the path in its tree of a file or directory, whose links have been followed. */
  public static String pathOf(Path real) {
    return inTree(real.toString(), separator(real.getFileSystem()));
  }

  /** Returns the name of a file as its directory has it; as it is given if there is none. */
  public static String nameOf(Path file) {
    Path spelt = file;
    if (!isExact(file.getFileSystem())) {
      try {
        spelt = file.toRealPath(LinkOption.NOFOLLOW_LINKS);
      } catch (IOException e) {
        // Who reads it finds out.
      }
    }
    return String.valueOf(spelt.getFileName());
  }

  private static char separator(FileSystem system) {
    return system.getSeparator().charAt(0);
  }

  /** Returns whether names that differ in case only are names of different files. */
  private static boolean isExact(FileSystem system) {
    return separator(system) == '/';
  }

  /**
   * Returns the path in the tree of an absolute one.
   *
   * @param separator what the system puts between names
   */
  static String inTree(String absolute, char separator) {
    if (separator == '/') {
      return absolute;
    }
    int root = endOfRoot(absolute, separator);
    String below = absolute.substring(root).replace(separator, '/');
    String path = "/" + absolute.substring(0, root) + below;
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  /** Returns where a drive's name ends, or a share's, before the separator. */
  private static int endOfRoot(String absolute, char separator) {
    String share = "" + separator + separator;
    int host = absolute.startsWith(share) ? absolute.indexOf(separator, share.length()) : -1;
    int end = absolute.indexOf(separator, host + 1);
    return end < 0 ? absolute.length() : end;
  }

  /** Returns the path on the disk of one of {@link #inTree}. */
  static String onDisk(String path, char separator) {
    if (separator == '/') {
      return path;
    }
    String absolute = path.substring(1);
    int root = absolute.indexOf('/');
    return root < 0
        ? absolute + separator
        : absolute.substring(0, root) + absolute.substring(root).replace('/', separator);
  }

  private Path onDisk(String path) {
    return system.getPath(onDisk(path, separator(system)));
  }

  @Override
  public byte @Nullable [] read(String path) throws IOException {
    BasicFileAttributes attributes = attributes(path);
    if (attributes == null || attributes.isDirectory()) {
      return null;
    }
    if (!attributes.isRegularFile()) {
      throw new IOException("not a regular file");
    }
    byte[] content;
    try (InputStream in = open(path)) {
      content = in.readNBytes(FILE_LIMIT + 1);
    } catch (IOException e) {
      throw new IOException("cannot be read; check its permissions", e);
    }
    if (content.length > FILE_LIMIT) {
      throw new IOException("larger than 64 MiB, which no source is");
    }
    return content;
  }

  private InputStream open(String path) throws IOException {
    return isThisMachines()
        ? new FileInputStream(onDisk(path, separator(system)))
        : Files.newInputStream(onDisk(path));
  }

  private boolean isThisMachines() {
    return system.equals(FileSystems.getDefault());
  }

  @Override
  public List<String> list(String path) {
    if (isThisMachines()) {
      String[] names = new File(onDisk(path, separator(system))).list();
      return names == null ? List.of() : List.of(names);
    }
    try (Stream<Path> files = Files.list(onDisk(path))) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public boolean isSame(String path, String other) {
    try {
      return Files.isSameFile(onDisk(path), onDisk(other));
    } catch (IOException e) {
      return false;
    }
  }

  /** A {@code ..} after a symbolic link leaves the directory that the link leads to. */
  @Override
  public boolean leadsTo(String spelling, String path) throws IOException {
    if (attributes(spelling) == null) {
      return false;
    }
    if (attributes(path) == null || !Files.isSameFile(onDisk(spelling), onDisk(path))) {
      throw new IOException(
          "reached through a symbolic link and '..', which a copy of the source cannot follow;"
              + " declare its directory with withIncludeDirectory (-I)");
    }
    return true;
  }

  private @Nullable BasicFileAttributes attributes(String path) throws IOException {
    try {
      Path file = onDisk(path);
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return isExact(system) || isSpeltAs(file) ? found : null;
    } catch (AccessDeniedException e) {
      throw new IOException("cannot be read; check its permissions", e);
    } catch (FileSystemException e) {
      return null;
    } catch (InvalidPathException e) {
      if (!isExact(system)) {
        // Such as one with a colon or an asterisk.
        return null;
      }
      throw new IOException("its name cannot be written in this locale; set LC_ALL=C.UTF-8", e);
    }
  }

  /** Names in which {@code ..} stands are compared where it has led, and links by their own. */
  private static boolean isSpeltAs(Path file) throws IOException {
    Path part = file.normalize();
    while (part != null && part.getFileName() != null) {
      Path real = part.toRealPath(LinkOption.NOFOLLOW_LINKS);
      if (real.toString().equals(part.toString())) {
        return true;
      }
      if (!String.valueOf(real.getFileName()).equals(part.getFileName().toString())) {
        return false;
      }
      part = part.getParent();
    }
    return true;
  }
}
