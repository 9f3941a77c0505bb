// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The places of one machine, group by group: {@link RocmFinder} has their order.
 *
 * @param variables the environment variables
 * @param root the root of the filesystem, below which the usual places are
 * @param windows whether the machine is one with Windows
 */
record Places(Environment variables, Path root, boolean windows) {
  private static final List<String> NAMED = List.of("ROCM_PATH", "HIP_PATH");
  private static final String SDK = "HIP_PATH_";

  /** The programs by which a root is known that has no driver in its bin. */
  private static final List<String> STANDING =
      List.of("hipconfig", "rocminfo", "rocm_agent_enumerator");

  /** The variables that name the Python environment that is active. */
  static final List<String> ENVIRONMENTS = List.of("VIRTUAL_ENV", "CONDA_PREFIX");

  /** The groups in order. Each is to be listed only if those before it have nothing. */
  enum Group {
    NAMED,
    SEARCHED,
    STANDING,
    ACTIVE,
    PARTS,
    INSTALLED
  }

  /** Returns the places of a group. */
  List<RocmPlace> in(Group group) {
    return switch (group) {
      case NAMED -> named();
      case SEARCHED -> searched();
      case STANDING -> standing();
      case ACTIVE -> active();
      case PARTS -> parts();
      case INSTALLED -> installed();
    };
  }

  /** Returns the kinds of drivers that may be in use. Who asks for nvcc leaves the choice. */
  List<String> kinds() {
    Optional<String> toolchain =
        variables.get("KCACHE_TOOLCHAIN").filter(name -> !name.equals("nvcc"));
    return toolchain.isEmpty()
        ? RocmFinder.DRIVERS
        : RocmFinder.DRIVERS.stream().filter(kind -> kind.startsWith(toolchain.get())).toList();
  }

  private List<RocmPlace> named() {
    List<RocmPlace> places = new ArrayList<>();
    for (String variable : NAMED) {
      Optional<Path> named = path(variable);
      if (named.isPresent()) {
        places.add(RootPlace.of(variable, new RocmRoot(named.get(), compilers(), windows)));
      }
    }
    return places;
  }

  /** Returns the directories of compilers that are named beside a root. */
  private List<Path> compilers() {
    List<Path> compilers = new ArrayList<>();
    path("HIP_CLANG_PATH").ifPresent(compilers::add);
    path("LLVM_PATH").ifPresent(llvm -> compilers.add(llvm.resolve("bin")));
    return compilers;
  }

  private List<RocmPlace> searched() {
    List<RocmPlace> places = new ArrayList<>();
    for (Path directory : searchPath()) {
      places.add(new SearchPathPlace(directory, windows));
    }
    return places;
  }

  /** Returns the roots that other programs than drivers on PATH stand for, where no driver does. */
  private List<RocmPlace> standing() {
    Set<Path> roots = new LinkedHashSet<>();
    for (RocmPlace place : searched()) {
      if (place.roots().isEmpty()) {
        for (String name : STANDING) {
          Optional<RocmProgram> program = place.program(name);
          if (program.isPresent() && !program.get().root().isDistribution()) {
            roots.add(program.get().root().directory());
          }
        }
      }
    }
    List<RocmPlace> places = new ArrayList<>();
    for (Path each : roots) {
      places.add(part("PATH", each));
    }
    return places;
  }

  private List<Path> searchPath() {
    Optional<String> set = variables.get("PATH");
    if (set.isEmpty()) {
      return List.of(root.resolve("usr/local/bin"), root.resolve("usr/bin"), root.resolve("bin"));
    }
    return windows ? Environment.directories(set.get(), ";") : variables.searchPath();
  }

  /** A wheel's scripts are on the PATH too, as a rule: then that is where it was found. */
  private List<RocmPlace> active() {
    List<RocmPlace> places = new ArrayList<>();
    for (String variable : ENVIRONMENTS) {
      Optional<Path> prefix = path(variable);
      if (prefix.isPresent()) {
        Wheels wheels = Wheels.in(prefix.get(), windows);
        List<RocmRoot> roots = new ArrayList<>(wheels.roots());
        RocmRoot own = RocmRoot.of(prefix.get(), windows);
        if (own.isRocm()) {
          roots.add(own);
        }
        places.add(new RootPlace(variable, prefix.get(), roots, wheels.problem()));
      }
    }
    return places;
  }

  private List<RocmPlace> parts() {
    List<RocmPlace> places = new ArrayList<>();
    Optional<Path> clang = path("HIP_CLANG_PATH");
    if (clang.isPresent()) {
      places.add(part("HIP_CLANG_PATH", RocmRoot.aboveBin(clang.get())));
    }
    Optional<Path> llvm = path("LLVM_PATH");
    if (llvm.isPresent()) {
      places.add(part("LLVM_PATH", RocmRoot.aboveBin(llvm.get().resolve("bin"))));
    }
    Optional<Path> rocminfo = path("ROCMINFO_PATH");
    if (rocminfo.isPresent()) {
      places.add(part("ROCMINFO_PATH", rocminfo.get()));
    }
    return places;
  }

  private RocmPlace part(String variable, Path prefix) {
    return RootPlace.of(variable, RocmRoot.of(prefix, windows));
  }

  private List<RocmPlace> installed() {
    List<RocmPlace> places = new ArrayList<>(releases());
    List<Path> path = searchPath();
    if (!windows
        && (path.contains(root.resolve("usr/bin")) || path.contains(root.resolve("bin")))) {
      places.add(system());
    }
    return places;
  }

  RocmPlace system() {
    return usual(root.resolve("usr"));
  }

  private RocmPlace usual(Path directory) {
    return RootPlace.of("", RocmRoot.of(directory, windows));
  }

  List<RocmPlace> releases() {
    if (windows) {
      return sdkReleases();
    }
    Path opt = root.resolve("opt");
    Path rocm = opt.resolve("rocm");
    List<Path> releases = new ArrayList<>(Newest.first(rocm, "core-*"));
    releases.addAll(Newest.first(opt, "rocm-*"));
    List<RocmPlace> places = new ArrayList<>();
    places.add(usual(rocm));
    if (Files.exists(rocm.resolve("core"))) {
      places.add(usual(rocm.resolve("core")));
    }
    for (Path release : Newest.sorted(releases)) {
      places.add(usual(release));
    }
    return places;
  }

  /** Its installer sets a variable for each release, such as HIP_PATH_64 for 6.4. */
  private List<RocmPlace> sdkReleases() {
    List<RocmPlace> places = new ArrayList<>();
    variables
        .startingWith(SDK)
        .map(Map.Entry::getKey)
        .sorted(Comparator.comparing(Places::sdkRelease, Newest.numbers()).reversed())
        .forEach(name -> path(name).ifPresent(release -> places.add(part(name, release))));
    Newest.first(sdks(), "*").forEach(release -> places.add(usual(release)));
    return places;
  }

  /** Returns 5.7 for HIP_PATH_57, and 7.12 for HIP_PATH_712. */
  private static String sdkRelease(String variable) {
    String digits = variable.substring(SDK.length());
    return digits.length() < 2 ? digits : digits.charAt(0) + "." + digits.substring(1);
  }

  private Path sdks() {
    return path("ProgramFiles").orElse(root.resolve("Program Files")).resolve("AMD/ROCm");
  }

  /** Returns the usual places as a pattern, for a message: on Windows no path has a star. */
  String pattern() {
    String separator = root.getFileSystem().getSeparator();
    String releases =
        windows ? sdks() + separator + "*" : root.resolve("opt") + separator + "rocm*";
    return releases + separator + "bin";
  }

  /** Returns whether LD_LIBRARY_PATH lists a directory with one of these libraries. */
  boolean isListed(List<String> names) {
    return variables.listed("LD_LIBRARY_PATH").stream()
        .anyMatch(listed -> names.stream().map(listed::resolve).anyMatch(Files::exists));
  }

  /** A variable that holds no path names nothing; who compiles says so. */
  Optional<Path> path(String variable) {
    try {
      return variables.path(variable);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
