// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Paths as the compiler spells them, in the one form in which they are kept. */
public final class ToolchainPaths {
  private ToolchainPaths() {}

  /**
   * Returns the path without {@code ..}, unless that would mean another file because a link stands
   * before it. Links are kept: where they lead may change, and that must be seen.
   */
  public static Path normalise(Path path) {
    Path absolute = path.toAbsolutePath();
    Path normal = absolute.normalize();
    if (normal.equals(absolute)) {
      return normal;
    }
    try {
      return Files.isSameFile(normal, absolute) ? normal : absolute;
    } catch (IOException e) {
      return Files.exists(absolute) ? absolute : normal;
    }
  }

  /**
   * Returns the one name of a file however a driver came to it, by {@code llvm} or by the {@code
   * lib/llvm} where that leads. A file's own name is kept: a program may go by it.
   */
  static Path canonical(Path path) {
    Path normal = normalise(path);
    Path parent = normal.getParent();
    return parent == null || Files.isDirectory(normal)
        ? real(normal)
        : real(parent).resolve(normal.getFileName());
  }

  /** Returns the path with its links followed, or as it is if it leads nowhere. */
  public static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path;
    }
  }
}
