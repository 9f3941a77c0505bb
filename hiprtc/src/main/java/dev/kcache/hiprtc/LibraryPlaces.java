// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import dev.kcache.rocm.Environment;
import dev.kcache.rocm.HostSystem;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.rocm.RocmPlace;
import dev.kcache.rocm.RocmRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The places where hiprtc may be.
 *
 * @param root the root of the file system, below which the places of the system and ROCm are
 * @param variables the environment variables
 * @param windows whether this is Windows, where there is none: which libraries a compile used, and
 *     with them the compiler's identity, are read from Linux' list of a process's files
 */
record LibraryPlaces(Path root, Environment variables, boolean windows) {
  /** The variable that names HIP's runtime, a file or a directory: its hiprtc lies beside it. */
  private static final String CHOSEN = "KCACHE_HIP_LIBRARY";

  /** The names without a number, which development packages add, come last. */
  private static final List<String> NAMES =
      List.of(
          "libhiprtc.so.7",
          "libhiprtc.so.6",
          "libhiprtc.so.5",
          "libhiprtc.so",
          // These contain hiprtc, which is a file of its own since version 6.
          "libamdhip64.so.5",
          "libamdhip64.so.4");

  private static final List<String> SYSTEM =
      List.of(
          "usr/local/lib",
          "usr/lib/x86_64-linux-gnu",
          "lib/x86_64-linux-gnu",
          "usr/lib64",
          "lib64",
          "usr/lib",
          "lib");

  LibraryPlaces(Map<String, String> environment) {
    this(Path.of("/"), new Environment(environment), HostSystem.isWindows());
  }

  /**
   * Returns the absolute path of the library; empty if it is in none of the places. Loads nothing.
   */
  Optional<Path> find() {
    return (windows ? List.<Path>of() : directories())
        .stream()
            .flatMap(directory -> NAMES.stream().map(directory::resolve))
            .filter(Files::isRegularFile)
            .findFirst();
  }

  /** Returns the message if there is none, with advice. */
  String absence() {
    if (windows) {
      return "hiprtc is used on Linux alone; on Windows take hipcc of a HIP SDK, or wsl";
    }
    Optional<String> chosen = variables.get(CHOSEN);
    return "hiprtc is not there: no "
        + (chosen.isPresent()
            ? "libhiprtc.so beside " + CHOSEN + "=" + chosen.get() + "; correct that or unset it"
            : "libhiprtc.so in ROCM_PATH, HIP_PATH, LD_LIBRARY_PATH, the system's directories or"
                + " /opt/rocm*; install ROCm's HIP runtime (hiprtc), or set ROCM_PATH");
  }

  /** Returns the directories that may hold it, in order. */
  private List<Path> directories() {
    Optional<Path> chosen = variables.path(CHOSEN);
    if (chosen.isPresent()) {
      return beside(chosen.get());
    }
    RocmFinder finder = new RocmFinder(variables, root, false);
    List<Path> directories = new ArrayList<>(libraries(finder.beforeLoader(NAMES)));
    directories.addAll(variables.listed("LD_LIBRARY_PATH"));
    SYSTEM.forEach(directory -> directories.add(root.resolve(directory)));
    directories.addAll(libraries(finder.afterLoader()));
    return directories;
  }

  private static List<Path> libraries(List<RocmPlace> places) {
    return places.stream()
        .flatMap(place -> place.roots().stream())
        .flatMap(rocm -> rocm.libraries().stream())
        .toList();
  }

  private static List<Path> beside(Path chosen) {
    if (Files.isDirectory(chosen)) {
      List<Path> directories = new ArrayList<>(List.of(chosen));
      directories.addAll(RocmRoot.of(chosen, false).libraries());
      return directories;
    }
    Path parent = chosen.getParent();
    return parent == null ? List.of() : List.of(parent);
  }
}
