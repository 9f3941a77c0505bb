// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * What this machine's compilers said of themselves, and Rust's core, for tests that each begin with
 * an empty cache: to ask again takes seconds each time.
 */
final class KnownCompilers {
  private static final Path KEPT =
      Path.of("target", "known-compilers", Long.toString(ProcessHandle.current().pid()))
          .toAbsolutePath();

  private KnownCompilers() {}

  /** Gives an empty cache what another test left. */
  static synchronized void give(Path cache) {
    if (Files.notExists(cache.resolve("memo")) && Files.isDirectory(KEPT)) {
      copy(KEPT, cache);
    }
  }

  /** Keeps what a cache has, for the next test. */
  static synchronized void keep(Path cache) {
    copy(cache.resolve("memo"), KEPT.resolve("memo"));
    Path toolchains = cache.resolve("toolchains");
    if (Files.isDirectory(toolchains)) {
      try (Stream<Path> all = Files.list(toolchains)) {
        all.filter(each -> Files.exists(each.resolve("libcore.rlib")))
            .forEach(core -> copy(core, KEPT.resolve("toolchains").resolve(core.getFileName())));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Copies the files that are missing. */
  private static void copy(Path from, Path to) {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (Stream<Path> all = Files.walk(from)) {
      List<Path> sorted = all.sorted().toList();
      for (Path each : sorted) {
        Path copy = to.resolve(from.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(copy);
        } else if (Files.notExists(copy)) {
          Files.copy(each, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
