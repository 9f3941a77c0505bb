// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Converts paths as a compiler spells them into the form in which they are stored. */
public final class ToolchainPaths {
  private ToolchainPaths() {}

  /**
   * Returns the path without {@code ..}, unless a link before it makes that another file. Keeps
   * links, so that a change of their targets is noticed.
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
   * Returns the same path for a file whichever links a driver followed to it, such as {@code llvm}
   * or {@code lib/llvm}. Keeps the last name, by which a program may choose what it does.
   */
  static Path canonical(Path path) {
    Path normal = normalise(path);
    Path parent = normal.getParent();
    return parent == null || Files.isDirectory(normal)
        ? real(normal)
        : real(parent).resolve(normal.getFileName());
  }

  /** Returns the path with its links followed; the path itself if it leads nowhere. */
  public static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path;
    }
  }
}
