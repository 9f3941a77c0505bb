// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import dev.kcache.rocm.Places.Group;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where ROCm is. Compiler, libraries and tools are looked for in the same places, in this order:
 *
 * <ol>
 *   <li>what {@code ROCM_PATH} and {@code HIP_PATH} name;
 *   <li>the directories of PATH that have a driver, then the roots that other programs on PATH
 *       stand for;
 *   <li>the Python environment that is active, by {@code VIRTUAL_ENV} or {@code CONDA_PREFIX}:
 *       ROCm's wheels, and conda's packages;
 *   <li>the parts that {@code HIP_CLANG_PATH}, {@code LLVM_PATH} and {@code ROCMINFO_PATH} name, as
 *       Spack sets them;
 *   <li>{@code /opt/rocm}, {@code /opt/rocm/core}, then releases beside and below them, newest
 *       first; on Windows those of the HIP SDK;
 *   <li>the system's own {@code /usr}, where PATH has its programs.
 * </ol>
 *
 * <p>Libraries and tools of the compiler's root are preferred, unless variables say otherwise.
 *
 * <pre>{@code
 * RocmFinder rocm = RocmFinder.of(new Environment(System.getenv()), Path.of("/"));
 * rocm.compiler()
 *     .ifPresentOrElse(
 *         program -> System.out.println(program.file() + " of " + program.root().directory()),
 *         () -> System.out.println(rocm.describe()));
 * }</pre>
 *
 * <p>Looks at files and runs nothing. Each answer is that of the moment, and looks no further than
 * it has to.
 */
public final class RocmFinder {
  /** The variables that name the driver; the second is the name that the first had before. */
  public static final List<String> VARIABLES = List.of("KCACHE_COMPILER", "KCACHE_HIPCC");

  static final String HIPCC = "hipcc";
  static final String AMDCLANG = "amdclang++";

  /** The kinds of drivers, in the order in which a root's are taken. */
  public static final List<String> DRIVERS = List.of(HIPCC, AMDCLANG);

  private final Places places;

  /**
   * Creates a finder.
   *
   * @param variables those that name a ROCm, and PATH
   * @param root the root of the filesystem, below which the usual places are
   * @param windows whether the machine is one with Windows
   */
  public RocmFinder(Environment variables, Path root, boolean windows) {
    this.places = new Places(variables, root, windows);
  }

  /**
   * {@return the finder for a machine with this operating system, by its root}
   *
   * @param variables those that name a ROCm, and PATH
   * @param root the root of the filesystem, below which the usual places are
   */
  public static RocmFinder of(Environment variables, Path root) {
    return new RocmFinder(variables, root, HostSystem.isWindows());
  }

  /** {@return all places, in order} One that links lead to by several names is there once. */
  public List<RocmPlace> places() {
    Map<Path, RocmPlace> all = new LinkedHashMap<>();
    in(Group.values()).forEach(place -> all.putIfAbsent(RocmRoot.real(place.path()), place));
    return List.copyOf(all.values());
  }

  private List<RocmPlace> in(Group... groups) {
    List<RocmPlace> all = new ArrayList<>();
    for (Group group : groups) {
      all.addAll(places.in(group));
    }
    return all;
  }

  /**
   * {@return the first driver of some kinds: {@code hipcc}, or {@code amdclang++} and in its place
   * a {@code clang++} that has HIP's headers} Of one place the first kind goes first.
   *
   * @param kinds of {@link #DRIVERS}, the preferred one first
   */
  public Optional<RocmProgram> driver(List<String> kinds) {
    Optional<Located> found = located(kinds);
    return found.isPresent() ? Optional.of(found.get().program()) : Optional.empty();
  }

  /**
   * {@return the program that a named one stands for: that of a wheel for a script of the wheel,
   * which is never run} Empty if the wheel has none.
   *
   * @param named an executable file
   */
  public Optional<RocmProgram> standing(Path named) {
    Path directory = named.getParent();
    return directory != null && Wheels.isScript(named, places.windows())
        ? new SearchPathPlace(directory, places.windows()).program(named.getFileName().toString())
        : Optional.of(RocmProgram.of(named, places.windows()));
  }

  /**
   * {@return why a wheel's script stands for no program, as the end of a sentence, and advice}
   *
   * @param script the script on PATH
   */
  public String problem(Path script) {
    Path directory = Objects.requireNonNull(script.getParent());
    return new SearchPathPlace(directory, places.windows())
        .problem(script)
        .orElse("has a ROCm wheel without such a program; pip install 'rocm[devel]'");
  }

  /**
   * {@return the driver in use, as far as variables tell: the one that they name, else the first of
   * the kinds that {@code KCACHE_TOOLCHAIN} leaves; empty if that names another compiler}
   */
  public Optional<RocmProgram> compiler() {
    return chosen().map(Located::program);
  }

  /**
   * A driver with where it was found.
   *
   * @param directory that of PATH, if it was there
   */
  private record Located(RocmProgram program, Optional<Path> directory) {
    boolean isIn(RocmPlace place) {
      return directory.equals(Optional.of(place.path()));
    }

    RocmPlace place() {
      return RootPlace.of("", program.root());
    }
  }

  private Optional<Located> chosen() {
    for (String variable : VARIABLES) {
      Optional<Path> named = places.path(variable);
      if (named.isPresent()) {
        return named
            .filter(Environment::isProgram)
            .flatMap(this::standing)
            .map(program -> new Located(program, Optional.empty()));
      }
    }
    return located(places.kinds());
  }

  private Optional<Located> located(List<String> kinds) {
    for (Group group : Group.values()) {
      for (RocmPlace place : places.in(group)) {
        if (group == Group.NAMED && isUnusable(place)) {
          // Another ROCm's driver would get the paths of this one.
          return Optional.empty();
        }
        Optional<RocmProgram> driver = place.driver(kinds);
        if (driver.isPresent()) {
          boolean onPath = place instanceof SearchPathPlace;
          return Optional.of(
              new Located(driver.get(), onPath ? Optional.of(place.path()) : Optional.empty()));
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isUnusable(RocmPlace place) {
    Optional<String> problem = place.problem();
    return problem.isPresent() && !problem.get().equals(RocmPlace.MISSING);
  }

  /**
   * {@return the first program with one of these names}
   *
   * @param names names of files, the preferred one first
   */
  public Optional<RocmProgram> tool(List<String> names) {
    for (RocmPlace place : toolPlaces()) {
      for (String name : names) {
        Optional<RocmProgram> program = place.program(name);
        if (program.isPresent()) {
          return program;
        }
      }
    }
    return Optional.empty();
  }

  /**
   * {@return all programs of LLVM's with a name, those that belong to the compiler in use first}
   * One that links lead to by several names is there once.
   *
   * @param name the program's name, such as {@code llvm-nm}
   */
  public List<Path> llvmPrograms(String name) {
    List<Path> all = new ArrayList<>();
    compiler().ifPresent(found -> all.addAll(found.root().llvmPrograms(name)));
    for (RocmPlace place : toolPlaces()) {
      place.program(name).ifPresent(found -> all.add(found.file()));
      place.roots().forEach(root -> all.addAll(root.llvmPrograms(name)));
    }
    Map<Path, Path> once = new LinkedHashMap<>();
    all.forEach(program -> once.putIfAbsent(RocmRoot.real(program), program));
    return List.copyOf(once.values());
  }

  /** The compiler's root comes before PATH, or after the directory of PATH that led to it. */
  private List<RocmPlace> toolPlaces() {
    Optional<Located> compiler = chosen();
    List<RocmPlace> tools = in(Group.NAMED);
    compiler
        .filter(found -> found.directory().isEmpty())
        .ifPresent(found -> tools.add(found.place()));
    for (RocmPlace each : places.in(Group.SEARCHED)) {
      tools.add(each);
      compiler.filter(found -> found.isIn(each)).ifPresent(found -> tools.add(found.place()));
    }
    tools.addAll(in(Group.STANDING, Group.ACTIVE, Group.PARTS, Group.INSTALLED));
    return tools;
  }

  /**
   * {@return where a shared library is looked for before the system's loader is asked: what
   * variables name, and the compiler's root, unless LD_LIBRARY_PATH lists such a library}
   *
   * @param names the names of the library
   */
  public List<RocmPlace> beforeLoader(List<String> names) {
    List<RocmPlace> before = in(Group.NAMED);
    if (!places.isListed(names)) {
      chosen()
          .filter(compiler -> !compiler.program().root().isDistribution())
          .ifPresent(compiler -> before.add(compiler.place()));
    }
    return before;
  }

  /** {@return where a shared library is looked for after the system's loader was asked} */
  public List<RocmPlace> afterLoader() {
    List<RocmPlace> after = new ArrayList<>();
    for (RocmPlace each : places.in(Group.SEARCHED)) {
      each.roots().stream()
          .filter(root -> !root.isDistribution())
          .forEach(root -> after.add(RootPlace.of("", root)));
    }
    after.addAll(in(Group.STANDING, Group.ACTIVE, Group.PARTS));
    after.addAll(places.releases());
    return after;
  }

  /**
   * {@return the directory with the bitcode of ROCm's device library, if some place has it} That of
   * the system comes last, though PATH may lead there first.
   */
  public Optional<Path> deviceLibrary() {
    return Stream.concat(places().stream(), Stream.of(places.system()))
        .flatMap(place -> place.roots().stream())
        .sorted(Comparator.comparing(RocmRoot::isDistribution))
        .flatMap(root -> root.deviceLibrary().stream())
        .findFirst();
  }

  /**
   * {@return what to say of a runtime library that is of another ROCm than the compiler; empty if
   * both are of one, there is no compiler, or variables name both roots}
   *
   * @param library the file of the runtime library
   */
  public Optional<String> mixture(Path library) {
    // On Windows the runtime is the GPU driver's, wherever the compiler is.
    return compiler()
        .filter(found -> !places.windows())
        .flatMap(found -> mixture(found, "the HIP runtime", RocmRoot.ofLibrary(library)));
  }

  /**
   * {@return what to say of a tool that is of another ROCm than the compiler, though the compiler's
   * has it too; empty if there is nothing to say} Somebody's own program on PATH is of no ROCm.
   *
   * @param tool as {@link #tool} returns it
   */
  public Optional<String> mixture(RocmProgram tool) {
    String name = String.valueOf(tool.file().getFileName());
    Path root = RocmRoot.real(tool.root().directory());
    return compiler()
        .filter(found -> !Objects.equals(found.file().getParent(), tool.file().getParent()))
        .filter(found -> tool.root().isRocm() && found.root().program(name).isPresent())
        .flatMap(found -> mixture(found, name, root));
  }

  private Optional<String> mixture(RocmProgram compiler, String part, Path root) {
    Path own = RocmRoot.real(compiler.root().directory());
    List<Path> named = in(Group.NAMED).stream().map(RocmPlace::path).map(RocmRoot::real).toList();
    return Wheels.areOne(own, root) || named.containsAll(List.of(own, root))
        ? Optional.empty()
        : Optional.of(
            "the compiler is of %s and %s of %s; set ROCM_PATH to have both of one"
                .formatted(own, part, root));
  }

  /** {@return the places as a phrase for a message} */
  public String describe() {
    List<String> names = new ArrayList<>();
    for (RocmPlace place : in(Group.NAMED)) {
      names.add(place.path().resolve("bin").toString());
    }
    names.add("PATH");
    for (String variable : Places.ENVIRONMENTS) {
      Optional<Path> prefix = places.path(variable);
      if (prefix.isPresent()) {
        names.add(prefix.get().toString());
      }
    }
    names.add(places.pattern());
    return String.join(", ", names);
  }

  /** {@return whether it looks for the files of Windows} */
  public boolean windows() {
    return places.windows();
  }

  /** {@return what is wrong with places that are there, each with what to do} */
  public List<String> problems() {
    Map<String, String> described = new LinkedHashMap<>();
    for (RocmPlace place : places()) {
      if (isUnusable(place)) {
        String problem = place.problem().orElseThrow();
        described.putIfAbsent(problem, place.describe() + " " + problem);
      }
    }
    return List.copyOf(described.values());
  }
}
