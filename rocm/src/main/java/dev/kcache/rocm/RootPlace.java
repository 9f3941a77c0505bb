// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A directory that is a root itself, or that has some below it. */
record RootPlace(String origin, Path path, List<RocmRoot> roots, Optional<String> problem)
    implements RocmPlace {
  RootPlace {
    roots = List.copyOf(roots);
  }

  /** Returns the place of a directory that is a root, if it is one. */
  static RootPlace of(String origin, RocmRoot root) {
    Path directory = root.directory();
    if (Files.isDirectory(directory)) {
      List<RocmRoot> roots = List.of(root);
      return new RootPlace(
          origin,
          directory,
          roots,
          root.isWheel() ? Wheels.problem(roots) : root.batchFile().map(RootPlace::ofBatchFile));
    }
    return new RootPlace(origin, directory, List.of(), Optional.of(absence(directory)));
  }

  private static String ofBatchFile(Path file) {
    return "has "
        + file.getFileName()
        + " and no hipcc.exe: a batch file is never run, since cmd.exe changes its arguments;"
        + " install a newer HIP SDK, or its clang++.exe";
  }

  private static String absence(Path directory) {
    if (!Files.isSymbolicLink(directory)) {
      return Files.exists(directory) ? "is no directory" : MISSING;
    }
    try {
      return "is a link to "
          + Files.readSymbolicLink(directory)
          + ", which does not exist; repair the link, or set ROCM_PATH";
    } catch (IOException e) {
      return MISSING;
    }
  }

  @Override
  public Optional<RocmProgram> driver(List<String> kinds) {
    for (RocmRoot root : roots) {
      Optional<Path> driver = root.driver(kinds);
      if (driver.isPresent() && (!root.isWheel() || root.deviceLibrary().isPresent())) {
        return Optional.of(new RocmProgram(driver.get(), root));
      }
    }
    return Optional.empty();
  }

  @Override
  public Optional<RocmProgram> program(String name) {
    for (RocmRoot root : roots) {
      Optional<Path> program = root.program(name);
      if (program.isPresent()) {
        return Optional.of(new RocmProgram(program.get(), root));
      }
    }
    return Optional.empty();
  }
}
