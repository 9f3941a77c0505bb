// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.HostSystem;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.rocm.RocmPlace;
import dev.kcache.rocm.RocmRoot;
import dev.kcache.rocm.Wsl;
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
 * @param root the root of the filesystem, below which the usual places are
 */
record LibraryPlaces(boolean windows, Path root) {
  /** The variable that names the library: a file, or a directory that has it. */
  static final String VARIABLE = "KCACHE_HIP_LIBRARY";

  /** The variable that names the library of HSA: a file, or a directory that has it. */
  static final String HSA_VARIABLE = "KCACHE_HSA_LIBRARY";

  /** There is none for Windows. */
  private static final List<String> HSA_NAMES =
      List.of("libhsa-runtime64.so.1", "libhsa-runtime64.so");

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
   * @param candidates existing files, or names for the system's loader; on Windows files alone,
   *     since its loader looks for a name where the process runs and in PATH
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
    return new LibraryPlaces(HostSystem.isWindows(), Path.of("/"));
  }

  /**
   * Returns the only place to try for HIP's or CUDA's library, if the caller or the environment
   * names one. The caller's may also be HSA's.
   */
  Optional<Place> chosen(Map<String, String> environment, Optional<Path> explicit) {
    return explicit
        .map(path -> chosen(path.toString(), "", everyName()))
        .or(() -> named(environment, VARIABLE, allNames()));
  }

  private Optional<Place> named(
      Map<String, String> environment, String variable, List<String> names) {
    String origin = " (" + variable + ")";
    return value(environment, variable)
        .map(
            text ->
                windows && path(text).isPresent() && !Path.of(text).isAbsolute()
                    ? new Place(
                        text, origin, List.of(), "is no absolute path, as Windows needs one")
                    : chosen(text, origin, names));
  }

  /** Returns the kind of a library by its name, and by the kind that is looked for. */
  static RuntimeKind kind(String candidate, RuntimeKind wanted) {
    String name = String.valueOf(Path.of(candidate).getFileName());
    return HSA_NAMES.stream().anyMatch(name::startsWith) ? RuntimeKind.HSA : wanted;
  }

  /** Returns the platform whose GPU driver this machine has; empty if it has both or neither. */
  Optional<Platform> onlyDriver() {
    boolean amd = Files.exists(root.resolve("dev/kfd"));
    boolean nvidia = Files.exists(root.resolve("dev/nvidiactl"));
    return amd == nvidia ? Optional.empty() : Optional.of(amd ? Platform.AMD : Platform.NVIDIA);
  }

  /** Returns the places to try for a library. */
  List<Place> list(RuntimeKind kind, Map<String, String> environment) {
    return switch (kind) {
      case HIP -> windows ? windows(environment) : amd(amdNames(), environment);
      case CUDA -> windows ? List.of(system32(CUDA_WINDOWS_NAMES, environment)) : nvidia();
      case HSA -> hsa(environment);
    };
  }

  /**
   * The GPU's driver has the runtime that fits it; that of the HIP SDK may be of another driver.
   */
  private List<Place> windows(Map<String, String> environment) {
    List<String> names = amdNames();
    List<Place> places = new ArrayList<>(List.of(system32(names, environment)));
    places.addAll(ofRocm(finder(environment).beforeLoader(names), names));
    places.addAll(afterLoader(finder(environment), names));
    return places.stream().distinct().toList();
  }

  private Place system32(List<String> names, Map<String, String> environment) {
    Path system =
        value(environment, "SystemRoot")
            .flatMap(LibraryPlaces::path)
            .orElse(root.resolve("Windows"))
            .resolve("System32");
    List<String> files = below(List.of(system), names);
    String absence = "has no " + String.join(", ", names);
    return new Place(system.toString(), "", files, files.isEmpty() ? absence : "");
  }

  private List<Place> hsa(Map<String, String> environment) {
    if (windows) {
      return List.of(new Place("Windows", "", List.of(), "has no HSA runtime"));
    }
    return named(environment, HSA_VARIABLE, HSA_NAMES)
        .map(List::of)
        .orElseGet(() -> amd(HSA_NAMES, environment));
  }

  private List<Place> nvidia() {
    List<Place> places = new ArrayList<>();
    places.add(new Place("the system's loader", "", CUDA_LINUX_NAMES, ""));
    for (String directory : CUDA_DIRECTORIES) {
      Path library = root.resolve(directory).resolve(CUDA_LINUX_NAMES.get(0));
      if (Files.exists(library)) {
        places.add(new Place(library.toString(), "", List.of(library.toString()), ""));
      }
    }
    return places;
  }

  private List<Place> amd(List<String> names, Map<String, String> environment) {
    RocmFinder finder = finder(environment);
    List<Place> places = new ArrayList<>(ofRocm(finder.beforeLoader(names), names));
    places.add(new Place("the system's loader", "", names, ""));
    List<String> ofWsl = below(List.of(Wsl.libraries(root)), names);
    if (!ofWsl.isEmpty()) {
      places.add(new Place(Wsl.libraries(root).toString(), "", ofWsl, ""));
    }
    places.addAll(afterLoader(finder, names));
    return places.stream().distinct().toList();
  }

  private List<Place> afterLoader(RocmFinder finder, List<String> names) {
    List<RocmPlace> after = new ArrayList<>(finder.afterLoader());
    after.removeIf(place -> !concernsTheRuntime(place, names));
    return ofRocm(after, names);
  }

  private List<Place> ofRocm(List<RocmPlace> places, List<String> names) {
    return places.stream().map(place -> place(place, names)).toList();
  }

  /** Variables of Python and Spack rightly lead to places without a runtime. */
  private static boolean concernsTheRuntime(RocmPlace place, List<String> names) {
    return place.origin().isEmpty()
        || place.roots().stream().anyMatch(rocm -> !files(rocm, names).isEmpty())
        || (place.roots().isEmpty()
            && place.problem().filter(problem -> !problem.equals(RocmPlace.MISSING)).isPresent());
  }

  private static List<String> files(RocmRoot rocm, List<String> names) {
    return below(rocm.libraries(), names);
  }

  private static List<String> below(List<Path> directories, List<String> names) {
    return directories.stream()
        .flatMap(directory -> names.stream().map(directory::resolve))
        .filter(Files::exists)
        .map(Path::toString)
        .toList();
  }

  /** Returns the finder of ROCm on this machine. */
  RocmFinder finder(Map<String, String> environment) {
    return new RocmFinder(new Environment(environment), root, windows);
  }

  private Place place(RocmPlace place, List<String> names) {
    String origin = place.origin().isEmpty() ? "" : " (" + place.origin() + ")";
    List<String> files =
        place.roots().stream().flatMap(rocm -> files(rocm, names).stream()).toList();
    String absence =
        place.roots().isEmpty()
            ? place.problem().orElse("has no ROCm")
            : absence(rocmDirectories(), names);
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

  private List<String> everyName() {
    return windows ? allNames() : Stream.concat(allNames().stream(), HSA_NAMES.stream()).toList();
  }

  private List<String> rocmDirectories() {
    return windows ? List.of("bin") : List.of("lib", "lib64");
  }

  /** A place that the user chose may be the file, its directory, or the root of a ROCm. */
  private Place chosen(String text, String origin, List<String> names) {
    Optional<Path> path = path(text);
    if (path.filter(Files::isRegularFile).isPresent()) {
      return new Place(text, origin, List.of(path.get().toString()), "");
    }
    List<String> directories = Stream.concat(Stream.of(""), rocmDirectories().stream()).toList();
    return below(text, origin, directories, names);
  }

  private Place below(String text, String origin, List<String> directories, List<String> names) {
    Optional<Path> path = path(text).filter(Files::exists);
    if (path.isEmpty()) {
      return new Place(text, origin, List.of(), RocmPlace.MISSING);
    }
    List<String> files = below(directories.stream().map(path.get()::resolve).toList(), names);
    return new Place(text, origin, files, files.isEmpty() ? absence(directories, names) : "");
  }

  /** The last name of the first kind stands for all of its. */
  private String absence(List<String> directories, List<String> names) {
    int last = names.equals(HSA_NAMES) ? HSA_NAMES.size() - 1 : amdNames().size() - 1;
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
