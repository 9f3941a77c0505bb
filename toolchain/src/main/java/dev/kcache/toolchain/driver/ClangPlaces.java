// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.probe.RocmRelease;
import dev.kcache.toolchain.probe.ToolchainPaths;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a clang has to be told so that it is to HIP source what the hipcc of its ROCm is: where ROCm
 * and its device libraries are, and the flags that hipcc puts before the user's.
 *
 * @param resources clang's own directory of headers and libraries, if it has one
 */
record ClangPlaces(RocmRelease release, Optional<Path> resources) {
  private static final String BITCODE = "amdgcn/bitcode";

  /** Where device libraries are below clang's own directory, in its order; Debian's is the last. */
  private static final List<String> OWN = List.of("lib/" + BITCODE, "lib64/" + BITCODE, BITCODE);

  /** Where they are below a ROCm: AMD's packages, TheRock's archives, Debian 12. */
  private static final List<String> ROCMS =
      List.of(BITCODE, "lib/llvm/" + BITCODE, "lib/x86_64-linux-gnu/" + BITCODE);

  static ClangPlaces of(Path program, RocmRelease release) {
    Path clang = ToolchainPaths.real(program);
    return new ClangPlaces(release, resources(clang.resolveSibling("../lib/clang").normalize()));
  }

  /** Returns the directory of the newest version; there is one, but for leftovers. */
  private static Optional<Path> resources(Path versions) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(versions)) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry.resolve("include"))) {
          found.add(entry);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return Optional.empty();
    }
    return found.stream().max(Comparator.comparingInt(ClangPlaces::major));
  }

  private static int major(Path version) {
    String digits = version.getFileName().toString().replaceFirst("^(\\d{1,4}).*$", "$1");
    return digits.matches("\\d{1,4}") ? Integer.parseInt(digits) : 0;
  }

  /**
   * Returns the options that say where things are; clang looks for the variables' directories by
   * itself.
   */
  List<String> options(Map<String, String> environment) {
    List<String> options = new ArrayList<>();
    release.root().ifPresent(root -> options.add("--rocm-path=" + root));
    // Not every clang finds it in the file that this one has.
    release.hip().ifPresent(version -> options.add("--hip-version=" + version));
    deviceLibraries(environment).ifPresent(path -> options.add("--hip-device-lib-path=" + path));
    return options;
  }

  private Optional<String> deviceLibraries(Map<String, String> environment) {
    for (String variable : List.of("DEVICE_LIB_PATH", "HIP_DEVICE_LIB_PATH")) {
      if (environment.containsKey(variable)) {
        return Optional.of(environment.get(variable));
      }
    }
    List<Path> likely = new ArrayList<>();
    resources.ifPresent(directory -> OWN.forEach(name -> likely.add(directory.resolve(name))));
    release.root().ifPresent(root -> ROCMS.forEach(name -> likely.add(root.resolve(name))));
    return likely.stream().filter(Files::isDirectory).findFirst().map(Path::toString);
  }

  /**
   * Returns what hipcc adds to these options. Read from hipcc 5.2, from AMD's sources between 5.4
   * and 6.0, and from hipcc 6.4: the flags for inlining went between 6.0 and 6.3.
   */
  List<String> flagsOfHipcc(List<String> options) {
    List<String> flags = new ArrayList<>();
    if (release.isOlderThan(5, 3)) {
      flags.add("-std=c++11");
      resources.ifPresent(
          directory ->
              flags.addAll(List.of("-isystem", directory.resolve("include/..").toString())));
      release
          .root()
          .ifPresent(
              root -> flags.addAll(List.of("-isystem", root.resolve("hsa/include").toString())));
    }
    Optional<String> level =
        options.stream().filter(option -> option.startsWith("-O")).reduce((first, last) -> last);
    if (level.isEmpty()) {
      flags.add("-O3");
    }
    if (release.isOlderThan(6, 2) && !level.equals(Optional.of("-O0"))) {
      flags.addAll(List.of("-mllvm", "-amdgpu-early-inline-all=true"));
      flags.addAll(List.of("-mllvm", "-amdgpu-function-calls=false"));
    }
    return flags;
  }
}
