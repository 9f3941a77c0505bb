// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Paths as the compiler spells them, in the one form in which they are kept. */
public final class ToolchainPaths {
  private ToolchainPaths() {}

  /**
   * Returns each file {@linkplain #normalise normalised}. Hundreds of headers lie in a dozen
   * directories, and each of these is looked at once.
   *
   * @param base where relative names begin
   */
  public static List<Path> normalise(Path base, List<String> names) {
    Map<String, Path> directories = new HashMap<>();
    List<Path> files = new ArrayList<>(names.size());
    for (String name : names) {
      int slash = name.lastIndexOf('/');
      String last = name.substring(slash + 1);
      Path directory =
          directories.computeIfAbsent(
              name.substring(0, slash + 1), prefix -> normalise(base.resolve(prefix)));
      Path file = directory.resolve(last);
      // Not where the last name or what could not be left away is "..".
      files.add(file.equals(file.normalize()) ? file : normalise(base.resolve(name)));
    }
    return files;
  }

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
