// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.RocmRoot;
import dev.kcache.toolchain.probe.RocmRelease;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a clang needs to compile HIP as the hipcc of its ROCm does: the places of ROCm and its
 * device libraries, and the flags that hipcc puts before the user's.
 *
 * @param resources clang's own directory of headers and libraries, if it has one
 */
record ClangPlaces(RocmRelease release, Optional<Path> resources) {
  private static final Pattern MAJOR = Pattern.compile("\\d{1,4}");

  static ClangPlaces of(Path program, RocmRelease release) {
    return new ClangPlaces(release, RocmRoot.resourcesOf(program));
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
    deviceLibrary(environment)
        .ifPresent(directory -> options.add(ClangBasedDialect.deviceLibrary(directory)));
    return options;
  }

  private Optional<Path> deviceLibrary(Map<String, String> environment) {
    for (String variable : List.of("DEVICE_LIB_PATH", "HIP_DEVICE_LIB_PATH")) {
      if (environment.containsKey(variable)) {
        return Optional.of(Path.of(environment.get(variable)));
      }
    }
    return resources
        .flatMap(RocmRoot::deviceLibraryOf)
        .or(() -> release.root().flatMap(root -> RocmRoot.of(root, false).deviceLibrary()));
  }

  /**
   * Returns the macro that HIP's headers before version 7 take the width of a wave from, for a
   * clang that no longer defines it. No option of a kernel changes that width.
   */
  List<String> macros(TargetId target) {
    boolean lacking =
        release.isOlderThan(7, 0) && resources.filter(ClangPlaces::lacksTheMacro).isPresent();
    // gfx10 and later are RDNA's.
    int width = target.toString().startsWith("gfx1") ? 32 : 64;
    return lacking ? List.of("-D__AMDGCN_WAVEFRONT_SIZE=" + width) : List.of();
  }

  private static boolean lacksTheMacro(Path resources) {
    Matcher version = MAJOR.matcher(resources.getFileName().toString());
    return version.lookingAt() && Integer.parseInt(version.group()) >= 22;
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
      release.root().ifPresent(root -> flags.addAll(headersOfHipcc(root)));
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

  /** Debian's leaves the system's own directory out, which is searched anyway. */
  private static List<String> headersOfHipcc(Path root) {
    List<String> flags =
        new ArrayList<>(List.of("-isystem", root.resolve("hsa/include").toString()));
    if (!root.equals(Path.of("/usr"))) {
      flags.addAll(List.of("-isystem", root.resolve("include").toString()));
    }
    return flags;
  }
}
