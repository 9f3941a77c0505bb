// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of this machine. Reads with streams, since an interrupt would close a channel.
 *
 * <p>On Windows each drive and each share is a directory of the root: {@code /C:/a} and {@code
 * /\\host\share/a}. So a source has the same names below its directories as on Linux.
 */
public record DiskTree() implements SourceTree {
  /** Returns the path in this tree of a file or directory, whose links have been followed. */
  public static String pathOf(Path real) {
    return inTree(real.toString(), File.separatorChar);
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

  private static String onDisk(String path) {
    return onDisk(path, File.separatorChar);
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
    try (FileInputStream in = new FileInputStream(onDisk(path))) {
      content = in.readNBytes(FILE_LIMIT + 1);
    } catch (IOException e) {
      throw new IOException("cannot be read; check its permissions", e);
    }
    if (content.length > FILE_LIMIT) {
      throw new IOException("larger than 64 MiB, which no source is");
    }
    return content;
  }

  @Override
  public List<String> list(String path) {
    String[] names = new File(onDisk(path)).list();
    return names == null ? List.of() : List.of(names);
  }

  @Override
  public boolean isSame(String path, String other) {
    try {
      return Files.isSameFile(Path.of(onDisk(path)), Path.of(onDisk(other)));
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
    if (attributes(path) == null
        || !Files.isSameFile(Path.of(onDisk(spelling)), Path.of(onDisk(path)))) {
      throw new IOException(
          "reached through a symbolic link and '..', which a copy of the source cannot follow;"
              + " declare its directory with withIncludeDirectory (-I)");
    }
    return true;
  }

  private static @Nullable BasicFileAttributes attributes(String path) throws IOException {
    try {
      return Files.readAttributes(Path.of(onDisk(path)), BasicFileAttributes.class);
    } catch (AccessDeniedException e) {
      throw new IOException("cannot be read; check its permissions", e);
    } catch (FileSystemException e) {
      return null;
    } catch (InvalidPathException e) {
      throw new IOException("its name cannot be written in this locale; set LC_ALL=C.UTF-8", e);
    }
  }
}
