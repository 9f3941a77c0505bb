// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cache.KernelSource;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** The folder of a project's kernels, {@code src/main/hip}, and what it holds. */
record Sources(Path folder) {
  /** Cargo's manifest: its folder is one source, a crate. */
  private static final String CRATE = "Cargo.toml";

  /**
   * Returns what is compiled: the files that match an include and no exclude and hold a kernel, and
   * crates. What can't be read as a source is among them, for the command to tell why.
   */
  List<Path> kernels(List<String> includes, List<String> excludes) throws IOException {
    return files().stream()
        .filter(file -> matches(file, includes) && !matches(file, excludes))
        .map(file -> file.endsWith(CRATE) ? file.getParent() : file)
        .filter(file -> Files.isDirectory(file) || !isInCrate(file))
        .filter(Sources::mayHoldKernel)
        .toList();
  }

  /** Copies all files to where the class path has them; leaves alone those that are there. */
  void copyTo(Path classes) throws IOException {
    for (Path file : files()) {
      Path copy = classes.resolve(folder.relativize(file));
      if (!Files.isRegularFile(copy) || Files.mismatch(file, copy) >= 0) {
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /** Returns all files but hidden ones and what cargo built, in order. */
  private List<Path> files() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> found = Files.walk(folder)) {
      return found.filter(Files::isRegularFile).filter(this::isSource).sorted().toList();
    }
  }

  private boolean isSource(Path file) {
    Path parent = folder;
    for (Path name : folder.relativize(file)) {
      boolean isBuilt = name.toString().equals("target") && Files.exists(parent.resolve(CRATE));
      if (name.toString().startsWith(".") || isBuilt) {
        return false;
      }
      parent = parent.resolve(name);
    }
    return true;
  }

  private boolean isInCrate(Path file) {
    for (Path at = file.getParent(); at != null && at.startsWith(folder); at = at.getParent()) {
      if (Files.exists(at.resolve(CRATE))) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(Path file, List<String> globs) {
    Path relative = folder.relativize(file);
    return globs.stream().anyMatch(glob -> matches(relative, glob));
  }

  /** As Maven's own patterns, {@code **}{@code /} also matches no folder at all. */
  private static boolean matches(Path relative, String glob) {
    return FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(relative)
        || (glob.startsWith("**/") && matches(relative, glob.substring("**/".length())));
  }

  private static boolean mayHoldKernel(Path file) {
    try {
      return KernelSource.read(file).hasKernel();
    } catch (InvalidKernelSourceException e) {
      return true;
    }
  }
}
