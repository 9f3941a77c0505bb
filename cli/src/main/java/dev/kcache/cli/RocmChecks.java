// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cli.Check.Status;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.rocm.RocmPlace;
import dev.kcache.rocm.RocmProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The checks of {@code kcache doctor} of where ROCm is: each place that is looked at, what is
 * there, and what of it is used. Nothing is run.
 *
 * @param places what was found in each, in the order in which they are tried
 * @param mixtures what to say of a tool or a runtime of another ROCm than the compiler
 */
record RocmChecks(List<Found> places, List<String> mixtures) {
  private static final String NAME = "rocm";

  private static final String BEFORE = "a place before has one";

  /** The variables that name a ROCm and nothing else. */
  private static final List<String> NAMED = List.of("ROCM_PATH", "HIP_PATH");

  private static final List<String> TOOLS =
      List.of("rocminfo", "hipInfo", "amdgpu-arch", "offload-arch", "rocm_agent_enumerator");

  /**
   * A place with what is there.
   *
   * @param used whether it is its compiler that is used
   * @param reason why its compiler isn't
   * @param loaded whether the runtime in use is one of those here
   */
  record Found(
      RocmPlace place,
      Optional<Path> compiler,
      boolean used,
      Optional<String> reason,
      Optional<Path> runtime,
      boolean loaded,
      List<Path> tools,
      Optional<Path> deviceLibrary) {
    private Check check() {
      if (place.problem().filter(problem -> !problem.equals(RocmPlace.MISSING)).isPresent()) {
        String problem = place.describe() + " " + place.problem().get();
        return Check.of(Status.WARN, NAME, problem, "repair it, or set ROCM_PATH to another ROCm");
      }
      if (place.problem().isPresent()) {
        String absence = place.describe() + " " + RocmPlace.MISSING;
        return place.origin().isEmpty()
            ? Check.note(NAME, absence)
            : Check.warn(NAME, absence, "correct " + place.origin() + " or unset it");
      }
      List<String> parts = parts();
      if (parts.isEmpty()) {
        String nothing = place.describe() + ": nothing of ROCm's";
        return NAMED.contains(place.origin())
            ? Check.warn(NAME, nothing, "correct " + place.origin() + " or unset it")
            : Check.note(NAME, nothing);
      }
      String found = place.describe() + ": " + String.join(", ", parts);
      // Who names two has one that counts.
      return NAMED.contains(place.origin()) && reason.filter(BEFORE::equals).isPresent()
          ? Check.note(NAME, found)
          : Check.ok(NAME, found);
    }

    /** Returns whether no variable but PATH names the place. */
    private boolean isOfTheSystem() {
      return place.origin().isEmpty() || place.origin().equals("PATH");
    }

    /** Returns the files of ROCm's that are there, each by its real path. */
    private List<Path> files() {
      return Stream.of(compiler.stream(), runtime.stream(), tools.stream(), deviceLibrary.stream())
          .flatMap(Function.identity())
          .map(RocmChecks::real)
          .toList();
    }

    private List<String> parts() {
      List<String> parts = new ArrayList<>();
      compiler.ifPresent(
          file ->
              parts.add(file + " (" + reason.map(why -> "not used: " + why).orElse("used") + ")"));
      runtime.ifPresent(file -> parts.add(file + (loaded ? " (used)" : "")));
      tools.forEach(file -> parts.add(file.toString()));
      deviceLibrary.ifPresent(directory -> parts.add("device library " + directory));
      return parts;
    }

    /** Writes what was found; what is not there is null. */
    void writeTo(Json json) {
      json.put("path", place.path())
          .put("origin", Optional.of(place.origin()).filter(origin -> !origin.isEmpty()))
          .put("problem", place.problem())
          .put("compiler", compiler)
          .put("compilerUsed", used)
          .put("compilerUnusedBecause", reason)
          .put("runtime", runtime)
          .put("runtimeUsed", loaded)
          .put("tools", tools)
          .put("deviceLibrary", deviceLibrary);
    }

    /** Returns whether it is worth a line: of PATH most directories have nothing. */
    private boolean isTold() {
      return !place.origin().equals("PATH")
          || compiler.isPresent()
          || !tools.isEmpty()
          || place.problem().isPresent();
    }
  }

  /**
   * Looks at the places.
   *
   * @param toolchain the name of the compiler in use; empty if none is, or a builder's
   * @param loaded the runtime library in use
   */
  static RocmChecks of(
      Map<String, String> environment, Optional<String> toolchain, Optional<Path> loaded) {
    Map<String, String> chosen = new HashMap<>(environment);
    // An option may ask for another than the variable, and neither need be of AMD's.
    toolchain.ifPresent(name -> chosen.put("KCACHE_TOOLCHAIN", name));
    List<String> kinds =
        RocmFinder.DRIVERS.stream()
            .filter(kind -> toolchain.filter(kind::startsWith).isPresent())
            .toList();
    boolean isOther = toolchain.isPresent() && kinds.isEmpty();
    RocmFinder finder = RocmFinder.of(new Environment(chosen), Path.of("/"));
    Optional<Path> used = isOther ? Optional.empty() : finder.compiler().map(RocmProgram::file);
    Optional<String> named =
        RocmFinder.VARIABLES.stream()
            .filter(name -> KcacheVariables.isSet(name, environment))
            .findFirst()
            .map(name -> name + " names another");
    List<Found> places = new ArrayList<>();
    for (RocmPlace place : finder.places()) {
      Optional<Path> compiler =
          place.driver(kinds).or(() -> place.driver(RocmFinder.DRIVERS)).map(RocmProgram::file);
      boolean isUsed = compiler.isPresent() && compiler.equals(used);
      List<Path> runtimes =
          place.roots().stream().flatMap(root -> root.runtimes().stream()).toList();
      places.add(
          new Found(
              place,
              compiler,
              isUsed,
              compiler.isEmpty() || isUsed
                  ? Optional.empty()
                  : Optional.of(reason(toolchain, isOther, named, places)),
              runtimes.stream().findFirst(),
              loaded
                  .filter(file -> runtimes.stream().anyMatch(each -> real(each).equals(real(file))))
                  .isPresent(),
              TOOLS.stream()
                  .flatMap(tool -> place.program(tool).stream())
                  .map(RocmProgram::file)
                  .toList(),
              place.roots().stream().flatMap(root -> root.deviceLibrary().stream()).findFirst()));
    }
    Optional<RocmProgram> asked =
        TOOLS.stream().flatMap(tool -> finder.tool(List.of(tool)).stream()).findFirst();
    return new RocmChecks(
        places,
        Stream.concat(
                asked.flatMap(finder::mixture).stream(), loaded.flatMap(finder::mixture).stream())
            .toList());
  }

  /**
   * Returns why the compiler of a place is not used.
   *
   * @param isOther whether the compiler in use is of no ROCm
   * @param named what a variable that names a program makes of all others
   * @param before the places before
   */
  private static String reason(
      Optional<String> toolchain, boolean isOther, Optional<String> named, List<Found> before) {
    Optional<String> other = toolchain.map(name -> name + " is used");
    if (isOther) {
      return other.orElseThrow();
    }
    return named.orElseGet(
        () -> before.stream().anyMatch(Found::used) ? BEFORE : other.orElse("it is not asked for"));
  }

  private static Path real(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException e) {
      return file;
    }
  }

  /** Returns a line for each place that adds something, and one for each mixture. */
  List<Check> checks() {
    List<Check> checks = new ArrayList<>();
    Set<Path> told = new HashSet<>();
    for (Found found : places) {
      // PATH leads to a ROCm that is installed in a usual place, too.
      boolean addsSomething = told.addAll(found.files()) || !found.isOfTheSystem();
      if (found.isTold() && (addsSomething || found.files().isEmpty())) {
        checks.add(found.check());
      }
    }
    mixtures.forEach(
        both -> checks.add(Check.of(Status.WARN, NAME, both, "set ROCM_PATH to have both of one")));
    return checks;
  }
}
