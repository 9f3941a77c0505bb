// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The places where hiprtc may be.
 *
 * @param root the root of the filesystem, below which the system's and ROCm's own places are
 * @param environment the environment variables
 */
record LibraryPlaces(Path root, Map<String, String> environment) {
  /** The variable that names HIP's runtime, a file or a directory: its hiprtc lies beside it. */
  private static final String CHOSEN = "KCACHE_HIP_LIBRARY";

  /** The names without a number, which development packages add, come last. */
  private static final List<String> NAMES =
      List.of(
          "libhiprtc.so.7",
          "libhiprtc.so.6",
          "libhiprtc.so.5",
          "libhiprtc.so",
          // With hiprtc inside: from 6 on it lies beside it.
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

  static LibraryPlaces ofThisMachine(Map<String, String> environment) {
    return new LibraryPlaces(Path.of("/"), environment);
  }

  /** Returns the library, absolute, if it is in one of the places. Loads nothing. */
  Optional<Path> find() {
    return directories().stream().flatMap(LibraryPlaces::in).findFirst();
  }

  /** Returns what to say if there is none, with what to do. */
  String absence() {
    Optional<String> chosen = value(CHOSEN);
    return "hiprtc is not there: no "
        + (chosen.isPresent()
            ? "libhiprtc.so beside " + CHOSEN + "=" + chosen.get() + "; correct that or unset it"
            : "libhiprtc.so in ROCM_PATH, HIP_PATH, LD_LIBRARY_PATH, the system's directories or"
                + " /opt/rocm*; install ROCm's HIP runtime (hiprtc), or set ROCM_PATH");
  }

  private static Stream<Path> in(Path directory) {
    return NAMES.stream().map(directory::resolve).filter(Files::isRegularFile);
  }

  /** Returns the directories that may hold it, in order. */
  private Set<Path> directories() {
    Set<Path> directories = new LinkedHashSet<>();
    Optional<String> chosen = value(CHOSEN);
    if (chosen.isPresent()) {
      path(chosen.get()).ifPresent(path -> directories.addAll(beside(path)));
      return directories;
    }
    for (String variable : List.of("ROCM_PATH", "HIP_PATH")) {
      value(variable)
          .flatMap(LibraryPlaces::path)
          .ifPresent(path -> directories.addAll(libraries(path)));
    }
    for (String directory : value("LD_LIBRARY_PATH").orElse("").split(":", -1)) {
      if (directory.startsWith("/")) {
        path(directory).ifPresent(directories::add);
      }
    }
    SYSTEM.forEach(directory -> directories.add(root.resolve(directory)));
    installed().forEach(rocm -> directories.addAll(libraries(rocm)));
    return directories;
  }

  private static List<Path> beside(Path chosen) {
    Path parent = chosen.getParent();
    if (Files.isDirectory(chosen)) {
      return List.of(chosen, chosen.resolve("lib"), chosen.resolve("lib64"));
    }
    return parent == null ? List.of() : List.of(parent);
  }

  private static List<Path> libraries(Path rocm) {
    return List.of(rocm.resolve("lib"), rocm.resolve("lib64"));
  }

  /** Returns ROCm's own directories, the unversioned one first, then the newest. */
  private List<Path> installed() {
    Path opt = root.resolve("opt");
    List<Path> installed = new ArrayList<>();
    installed.add(opt.resolve("rocm"));
    try (Stream<Path> entries = Files.list(opt)) {
      entries
          .filter(entry -> name(entry).startsWith("rocm-"))
          .sorted(Comparator.comparing(LibraryPlaces::sortable).reversed())
          .forEach(installed::add);
    } catch (IOException e) {
      // None is there, or none that may be seen.
      return installed;
    }
    return installed;
  }

  /** As text, 6.10 would be older than 6.4. */
  private static String sortable(Path rocm) {
    StringBuilder text = new StringBuilder();
    for (String number : name(rocm).split("\\D+", -1)) {
      text.append("%20s.".formatted(number));
    }
    return text.toString();
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  private Optional<String> value(String variable) {
    return Optional.ofNullable(environment.get(variable)).filter(value -> !value.isEmpty());
  }

  private static Optional<Path> path(String text) {
    try {
      return Optional.of(Path.of(text).toAbsolutePath());
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
