// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary directory of a benchmark. */
final class TemporaryDirectory implements AutoCloseable {
  private final Path path;

  TemporaryDirectory() {
    try {
      path = Files.createTempDirectory("kcache-bench-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    try {
      for (Path file : deepestFirst()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Path> deepestFirst() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      return files.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
