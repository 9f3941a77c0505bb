// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory for this user alone, which is removed with all that is in it. */
final class TemporaryDirectory implements AutoCloseable {
  private final Path path;

  TemporaryDirectory() throws IOException {
    path = Files.createTempDirectory("kcache-image-");
  }

  Path resolve(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(path)) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path each : deepestFirst) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | UncheckedIOException e) {
      // What is left is one of the machine's temporary files.
      System.getLogger(TemporaryDirectory.class.getName())
          .log(System.Logger.Level.DEBUG, "temporary files are left", e);
    }
  }
}
