// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The resources that a class can see: those of its module, if the package is open, or of its class
 * path.
 */
public record ResourceTree(Class<?> anchor) implements SourceTree {
  @Override
  public byte @Nullable [] read(String path) throws IOException {
    URL resource = anchor.getResource(path);
    if (resource == null || isDirectory(resource)) {
      return null;
    }
    byte @Nullable [] content;
    try (InputStream in = anchor.getResourceAsStream(path)) {
      content = in == null ? null : in.readNBytes(FILE_LIMIT + 1);
    } catch (IOException e) {
      throw new IOException("cannot be read as a resource", e);
    }
    if (content != null && content.length > FILE_LIMIT) {
      throw new IOException("larger than 64 MiB, which no source is");
    }
    return content;
  }

  /** A directory of a class path reads as a list of its files. */
  private static boolean isDirectory(URL resource) {
    return resource.getProtocol().equals("file")
        && Files.isDirectory(Path.of(URI.create(resource.toString())));
  }
}
