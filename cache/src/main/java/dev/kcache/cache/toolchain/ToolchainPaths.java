// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Paths as the compiler spells them, in the one form in which they are kept. */
final class ToolchainPaths {
  private ToolchainPaths() {}

  /**
   * Returns the path without {@code ..}, unless that would mean another file because a link stands
   * before it. Links are kept: where they lead may change, and that must be seen.
   */
  static Path normalise(Path path) {
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

  /** Returns the path with its links followed, or as it is if it leads nowhere. */
  static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path;
    }
  }
}
