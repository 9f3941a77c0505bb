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

/** The files of this machine. Reads with streams, since an interrupt would close a channel. */
public record DiskTree() implements SourceTree {
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
    try (FileInputStream in = new FileInputStream(path)) {
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
    String[] names = new File(path).list();
    return names == null ? List.of() : List.of(names);
  }

  @Override
  public boolean isSame(String path, String other) {
    try {
      return Files.isSameFile(Path.of(path), Path.of(other));
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
    if (attributes(path) == null || !Files.isSameFile(Path.of(spelling), Path.of(path))) {
      throw new IOException(
          "reached through a symbolic link and '..', which a copy of the source cannot follow;"
              + " declare its directory with withIncludeDirectory (-I)");
    }
    return true;
  }

  private static @Nullable BasicFileAttributes attributes(String path) throws IOException {
    try {
      return Files.readAttributes(Path.of(path), BasicFileAttributes.class);
    } catch (AccessDeniedException e) {
      throw new IOException("cannot be read; check its permissions", e);
    } catch (FileSystemException e) {
      return null;
    } catch (InvalidPathException e) {
      throw new IOException("its name cannot be written in this locale; set LC_ALL=C.UTF-8", e);
    }
  }
}
