// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import com.fasterxml.jackson.core.JsonFactory;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Toolchain;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Copies of the library and its tests that another user can read: the build may lie where nobody
 * but root can go.
 *
 * @param path the class path
 */
record CopiedClasses(String path) {
  static CopiedClasses in(Path directory) throws IOException, URISyntaxException {
    List<String> copies = new ArrayList<>();
    for (Class<?> type :
        List.of(
            CopiedClasses.class,
            CacheManager.class,
            Toolchain.class,
            CodeObject.class,
            Environment.class,
            JsonFactory.class,
            Caffeine.class)) {
      Path from = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      String name = "classes-" + copies.size() + (Files.isDirectory(from) ? "" : ".jar");
      Path to = directory.resolve(name);
      if (!Files.exists(to)) {
        copy(from, to);
      }
      copies.add(to.toString());
    }
    return new CopiedClasses(String.join(":", copies));
  }

  /** Returns the command that runs a class's main method. */
  List<String> java(Class<?> main, String... arguments) {
    return Jvm.command(path, main, List.of(), arguments);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        Files.copy(file, copy);
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    }
  }
}
