// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.rocm.Environment;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The shared libraries that a program is loaded with, as {@code ldd} prints them. */
public final class SharedLibraries {
  /** The dynamic linker's index of libraries. */
  public static final Path CACHE = Path.of("/etc/ld.so.cache");

  private SharedLibraries() {}

  /** Returns the command that prints a program's libraries; empty without an ldd. */
  public static Optional<List<String>> command(Path program, List<Path> searchPath) {
    return Environment.program("ldd", searchPath)
        .map(ldd -> List.of(ldd.toString(), program.toString()));
  }

  /** Returns the libraries in the output of ldd here; none for a script or a static program. */
  public static Set<Path> in(String printed) {
    Set<Path> libraries = new LinkedHashSet<>();
    for (String name : named(printed)) {
      path(name)
          .filter(Files::isRegularFile)
          .map(ToolchainPaths::normalise)
          .ifPresent(libraries::add);
    }
    return libraries;
  }

  /** Returns the absolute paths in the output of ldd on any machine. */
  public static Set<String> named(String printed) {
    Set<String> libraries = new LinkedHashSet<>();
    for (String line : printed.split("\\R", -1)) {
      String file = line.replaceFirst("^.*=>", "").replaceFirst("\\(0x.*$", "").strip();
      if (file.startsWith("/")) {
        libraries.add(file);
      }
    }
    return libraries;
  }

  private static Optional<Path> path(String file) {
    try {
      return Optional.of(Path.of(file));
    } catch (InvalidPathException e) {
      System.getLogger(SharedLibraries.class.getName())
          .log(System.Logger.Level.DEBUG, "ldd names a file that is not a path: " + e.getMessage());
      return Optional.empty();
    }
  }
}
