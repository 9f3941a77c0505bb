// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.rocm.RocmPlace;
import dev.kcache.rocm.RocmRoot;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The places where a platform's library may be, in the order of the search.
 *
 * @param windows whether this is Windows, where the libraries have other names
 * @param root the root of the filesystem, below which ROCm's own places are
 */
record LibraryPlaces(boolean windows, Path root) {
  /** The variable that names the library: a file, or a directory that has it. */
  static final String VARIABLE = "KCACHE_HIP_LIBRARY";

  /** The name without a number serves linking only and may be a stub. */
  private static final List<String> CUDA_LINUX_NAMES = List.of("libcuda.so.1");

  private static final List<String> CUDA_WINDOWS_NAMES = List.of("nvcuda.dll");

  /** WSL has it in the first, containers may have it in the others. */
  private static final List<String> CUDA_DIRECTORIES =
      List.of("usr/lib/wsl/lib", "usr/local/nvidia/lib64", "usr/lib64-nvidia");

  /**
   * One place.
   *
   * @param name its name in messages
   * @param origin the variable that led there, in parentheses; empty if none did
   * @param candidates existing files, or names for the system's loader
   * @param absence why there are no candidates; else empty
   */
  record Place(String name, String origin, List<String> candidates, String absence) {
    /** Returns whether a variable names it, but it does not exist. */
    boolean isMissing() {
      return !origin.isEmpty() && absence.equals(RocmPlace.MISSING);
    }
  }

  /** Returns the places of this machine. */
  static LibraryPlaces ofThisMachine() {
    boolean windows = System.getProperty("os.name", "").startsWith("Windows");
    return new LibraryPlaces(windows, Path.of("/"));
  }

  /**
   * Returns the only place to try for either platform, if the caller or the environment names one.
   */
  Optional<Place> chosen(Map<String, String> environment, Optional<Path> explicit) {
    return explicit
        .map(path -> chosen(path.toString(), ""))
        .or(() -> value(environment, VARIABLE).map(named -> chosen(named, " (" + VARIABLE + ")")));
  }

  /** Returns the platform whose GPU driver this machine has; empty if it has both or neither. */
  Optional<Platform> onlyDriver() {
    boolean amd = Files.exists(root.resolve("dev/kfd"));
    boolean nvidia = Files.exists(root.resolve("dev/nvidiactl"));
    return amd == nvidia ? Optional.empty() : Optional.of(amd ? Platform.AMD : Platform.NVIDIA);
  }

  /** Returns the places to try for a platform's library. */
  List<Place> list(Platform platform, Map<String, String> environment) {
    return platform == Platform.AMD ? amd(environment) : nvidia();
  }

  private List<Place> nvidia() {
    List<String> names = windows ? CUDA_WINDOWS_NAMES : CUDA_LINUX_NAMES;
    List<Place> places = new ArrayList<>();
    places.add(new Place("the system's loader", "", names, ""));
    for (String directory : CUDA_DIRECTORIES) {
      Path library = root.resolve(directory).resolve(names.get(0));
      if (!windows && Files.exists(library)) {
        places.add(new Place(library.toString(), "", List.of(library.toString()), ""));
      }
    }
    return places;
  }

  private List<Place> amd(Map<String, String> environment) {
    RocmFinder finder = finder(environment);
    List<Place> places = new ArrayList<>();
    finder.beforeLoader(amdNames()).forEach(place -> places.add(place(place)));
    places.add(new Place("the system's loader", "", amdNames(), ""));
    finder.afterLoader().stream()
        .filter(LibraryPlaces::concernsTheRuntime)
        .forEach(place -> places.add(place(place)));
    return places.stream().distinct().toList();
  }

  /** Variables of Python and Spack rightly lead to places without a runtime. */
  private static boolean concernsTheRuntime(RocmPlace place) {
    return place.origin().isEmpty()
        || place.roots().stream().anyMatch(rocm -> !rocm.runtimes().isEmpty())
        || (place.roots().isEmpty()
            && place.problem().filter(problem -> !problem.equals(RocmPlace.MISSING)).isPresent());
  }

  /** Returns the finder of ROCm on this machine. */
  RocmFinder finder(Map<String, String> environment) {
    return new RocmFinder(new Environment(environment), root, windows);
  }

  private Place place(RocmPlace place) {
    String origin = place.origin().isEmpty() ? "" : " (" + place.origin() + ")";
    List<String> files =
        place.roots().stream()
            .flatMap(rocm -> rocm.runtimes().stream())
            .map(Path::toString)
            .toList();
    String absence =
        place.roots().isEmpty()
            ? place.problem().orElse("has no ROCm")
            : absence(rocmDirectories(), amdNames());
    return new Place(place.path().toString(), origin, files, files.isEmpty() ? absence : "");
  }

  static Optional<String> value(Map<String, String> environment, String variable) {
    return Optional.ofNullable(environment.get(variable)).filter(value -> !value.isEmpty());
  }

  private List<String> amdNames() {
    return RocmRoot.runtimeNames(windows);
  }

  private List<String> allNames() {
    List<String> nvidia = windows ? CUDA_WINDOWS_NAMES : CUDA_LINUX_NAMES;
    return Stream.concat(amdNames().stream(), nvidia.stream()).toList();
  }

  private List<String> rocmDirectories() {
    return windows ? List.of("bin") : List.of("lib", "lib64");
  }

  /** A place that the user chose may be the file, its directory, or the root of a ROCm. */
  private Place chosen(String text, String origin) {
    Optional<Path> path = path(text);
    if (path.filter(Files::isRegularFile).isPresent()) {
      return new Place(text, origin, List.of(path.get().toString()), "");
    }
    List<String> directories = Stream.concat(Stream.of(""), rocmDirectories().stream()).toList();
    return below(text, origin, directories, allNames());
  }

  private Place below(String text, String origin, List<String> directories, List<String> names) {
    Optional<Path> path = path(text).filter(Files::exists);
    if (path.isEmpty()) {
      return new Place(text, origin, List.of(), RocmPlace.MISSING);
    }
    List<String> files =
        directories.stream()
            .map(path.get()::resolve)
            .flatMap(directory -> names.stream().map(directory::resolve))
            .filter(Files::exists)
            .map(Path::toString)
            .toList();
    return new Place(text, origin, files, files.isEmpty() ? absence(directories, names) : "");
  }

  /** The last of AMD's names stands for all. */
  private String absence(List<String> directories, List<String> names) {
    int last = amdNames().size() - 1;
    String name = String.join(" or ", names.subList(last, names.size()));
    String in =
        directories.stream()
            .filter(directory -> !directory.isEmpty())
            .collect(Collectors.joining(" or "));
    String where = directories.contains("") ? " there, nor in " : " in ";
    return "has no " + name + where + in;
  }

  private static Optional<Path> path(String text) {
    try {
      return Optional.of(Path.of(text).toAbsolutePath());
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
