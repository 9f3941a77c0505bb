// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.LibraryPlaces.Place;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Finds the library of a platform: tries one place after the other and collects the problems. */
public final class LibraryFinder {
  /** The variable that names the platform. */
  private static final String PLATFORM = "HIP_PLATFORM";

  private static final String NAME = ", or name its library in " + LibraryPlaces.VARIABLE;

  private static final Map<RuntimeKind, String> INSTALL =
      Map.of(
          RuntimeKind.HIP,
          "install ROCm's HIP runtime" + NAME,
          RuntimeKind.HSA,
          "install ROCm's HSA runtime, or name its library in " + LibraryPlaces.HSA_VARIABLE,
          RuntimeKind.CUDA,
          "install NVIDIA's driver" + NAME);

  private static final String INSTALL_EITHER =
      "install ROCm's HIP runtime or NVIDIA's driver" + NAME;

  /** The loader's message for a name that it finds nowhere. */
  private static final String NOT_FOUND = "cannot open shared object file: No such file";

  /** Static, so that a process logs each warning once. */
  private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

  private final Judge judge;

  /** What is looked for; HIP may turn out to be CUDA. */
  private final RuntimeKind kind;

  private final List<String> attempts = new ArrayList<>();
  private final Set<String> tried = new HashSet<>();

  /** Loads and judges libraries. */
  public interface Judge {
    /**
     * Loads a library.
     *
     * @throws LinkageError if it can't be loaded
     */
    HipLibrary load(RuntimeKind kind, String name);

    /** Returns why the library is unusable; empty if it is usable. */
    Optional<String> flaw(HipLibrary library);

    /** Returns whether a usable library shows a device. */
    boolean hasDevice(HipLibrary library);
  }

  /**
   * What a search gave.
   *
   * @param library the first usable library, if there is one
   * @param attempts each place or candidate that was tried before, with its problem
   * @param remedy what to do if there is none
   */
  public record Search(Optional<HipLibrary> library, List<String> attempts, String remedy) {
    /** Returns this with the attempts of an earlier search. */
    private Search after(Search other) {
      return new Search(library, attemptsAfter(other), INSTALL_EITHER);
    }

    private List<String> attemptsAfter(Search other) {
      return Stream.concat(other.attempts.stream(), attempts.stream()).toList();
    }

    /** Returns this, or if it has nothing another one that has. */
    private Search or(Supplier<Search> another) {
      if (library.isPresent()) {
        return this;
      }
      Search other = another.get();
      return new Search(other.library, other.attemptsAfter(this), remedy);
    }

    private static Search failed(String attempt, String remedy) {
      return new Search(Optional.empty(), List.of(attempt), remedy);
    }
  }

  private LibraryFinder(Judge judge, RuntimeKind kind) {
    this.judge = judge;
    this.kind = kind;
  }

  /**
   * Loads the first library that can be loaded and that has no flaw: of the kind or the platform
   * that the environment names, or else AMD's before NVIDIA's, unless only NVIDIA's shows a device,
   * or neither does and only NVIDIA's GPU driver is there. Of AMD's, HSA's only where HIP's is not.
   *
   * @param explicit the file or directory to look at, for a library of any kind, and nowhere else
   * @throws IllegalArgumentException if the environment names a kind that there is not
   */
  public static Search search(
      Map<String, String> environment, Optional<Path> explicit, Judge judge) {
    Optional<String> problem = NativeAccess.problem();
    if (problem.isPresent()) {
      return Search.failed("JNA: " + problem.get(), NativeAccess.REMEDY);
    }
    if (explicit.isEmpty() && StandInProvider.isChosen(environment)) {
      return StandInProvider.find()
          .map(provider -> new Search(Optional.of(provider.library()), List.of(), ""))
          .orElseGet(() -> Search.failed(StandInProvider.ABSENCE, StandInProvider.REMEDY));
    }
    return search(LibraryPlaces.ofThisMachine(), environment, explicit, judge);
  }

  static Search search(
      LibraryPlaces places, Map<String, String> environment, Optional<Path> explicit, Judge judge) {
    Optional<RuntimeKind> kind =
        explicit.isPresent() ? Optional.empty() : RuntimeKind.chosen(environment);
    Optional<Place> chosen =
        kind.equals(Optional.of(RuntimeKind.HSA))
            ? Optional.empty()
            : places.chosen(environment, explicit);
    if (chosen.isPresent()) {
      String remedy =
          explicit.isPresent()
              ? "give the library's file, or a directory that has it"
              : "correct " + LibraryPlaces.VARIABLE + " or unset it";
      Search search = search(List.of(chosen.get()), kind.orElse(RuntimeKind.HIP), remedy, judge);
      return search
          .library()
          .filter(found -> kind.filter(wanted -> wanted != found.kind()).isPresent())
          .map(other -> contradiction(other))
          .orElse(search);
    }
    Search search =
        kind.map(wanted -> search(places, wanted, environment, judge))
            .orElseGet(() -> byPlatform(places, environment, judge));
    search
        .library()
        .filter(found -> found.kind() == RuntimeKind.HIP)
        .flatMap(found -> places.finder(environment).mixture(Path.of(found.file())))
        .ifPresent(LibraryFinder::warnOnce);
    return search;
  }

  private static Search contradiction(HipLibrary other) {
    return Search.failed(
        "%s (%s): is a library of %s, and %s names another runtime"
            .formatted(other.file(), LibraryPlaces.VARIABLE, other.kind(), RuntimeKind.VARIABLE),
        "unset one of the two");
  }

  private static Search byPlatform(
      LibraryPlaces places, Map<String, String> environment, Judge judge) {
    Optional<String> platform = LibraryPlaces.value(environment, PLATFORM);
    if (platform.isEmpty()) {
      return either(
          search(places, Platform.AMD, environment, judge),
          search(places, RuntimeKind.CUDA, environment, judge),
          places.onlyDriver(),
          judge);
    }
    return Platform.named(platform.get())
        .map(known -> search(places, known, environment, judge))
        .orElseGet(
            () ->
                Search.failed(
                    "%s='%s': is neither amd nor nvidia".formatted(PLATFORM, platform.get()),
                    "correct " + PLATFORM + " or unset it"));
  }

  private static void warnOnce(String warning) {
    if (TOLD.add(warning)) {
      System.getLogger(LibraryFinder.class.getName()).log(Level.WARNING, warning);
    }
  }

  /**
   * A library without a device will do if no other has one: it can say why it shows none. AMD's is
   * asked only where NVIDIA's is there too, and NVIDIA's only then. If neither shows one, the
   * machine is that of the platform whose GPU driver it has.
   */
  private static Search either(
      Search amd, Search nvidia, Optional<Platform> onlyDriver, Judge judge) {
    boolean isNvidias = onlyDriver.equals(Optional.of(Platform.NVIDIA));
    if (amd.library.isEmpty() && nvidia.library.isEmpty()) {
      return onlyDriver.map(only -> isNvidias ? nvidia : amd).orElseGet(() -> nvidia.after(amd));
    }
    if (amd.library.isEmpty() || nvidia.library.isEmpty()) {
      return amd.library.isPresent() ? amd : nvidia.after(amd);
    }
    if (judge.hasDevice(amd.library.get())) {
      return amd;
    }
    return isNvidias || judge.hasDevice(nvidia.library.get()) ? nvidia : amd;
  }

  private static Search search(
      LibraryPlaces places, Platform platform, Map<String, String> environment, Judge judge) {
    return platform == Platform.AMD
        ? search(places, RuntimeKind.HIP, environment, judge)
            .or(() -> search(places, RuntimeKind.HSA, environment, judge))
        : search(places, RuntimeKind.CUDA, environment, judge);
  }

  private static Search search(
      LibraryPlaces places, RuntimeKind kind, Map<String, String> environment, Judge judge) {
    return search(places.list(kind, environment), kind, INSTALL.getOrDefault(kind, ""), judge);
  }

  /** Loads the first usable library of some places. */
  private static Search search(List<Place> places, RuntimeKind kind, String remedy, Judge judge) {
    LibraryFinder finder = new LibraryFinder(judge, kind);
    for (Place place : places) {
      Optional<HipLibrary> library = finder.search(place);
      if (library.isPresent()) {
        places.forEach(other -> tellIfMissing(other, library.get()));
        return new Search(library, finder.attempts, remedy);
      }
    }
    return new Search(Optional.empty(), List.copyOf(finder.attempts), remedy);
  }

  /** Else a mistyped variable would show only in the behaviour of another version. */
  private static void tellIfMissing(Place place, HipLibrary found) {
    if (place.isMissing()) {
      warnOnce(
          "%s%s does not exist; the HIP runtime is %s"
              .formatted(place.name(), place.origin(), found.file()));
    }
  }

  private Optional<HipLibrary> search(Place place) {
    if (place.candidates().isEmpty()) {
      fail(place.name(), place, place.absence());
    }
    List<String> unknown = new ArrayList<>();
    for (String candidate : place.candidates()) {
      if (!tried.add(realFile(candidate))) {
        continue;
      }
      Optional<HipLibrary> library = load(candidate, place, unknown);
      if (library.isPresent()) {
        return library;
      }
    }
    if (!unknown.isEmpty()) {
      fail(place.name(), place, "finds no " + String.join(", ", unknown));
    }
    return Optional.empty();
  }

  /** Adds a name that the loader finds nowhere to {@code unknown}, which gets one line. */
  private Optional<HipLibrary> load(String candidate, Place place, List<String> unknown) {
    Optional<String> damage = SharedObject.damage(candidate);
    if (damage.isPresent()) {
      fail(candidate, place, damage.get());
      return Optional.empty();
    }
    String problem;
    try {
      HipLibrary library = judge.load(LibraryPlaces.kind(candidate, kind), candidate);
      Optional<String> flaw = judge.flaw(library);
      if (flaw.isEmpty()) {
        return Optional.of(library);
      }
      tried.add(realFile(library.file()));
      problem = flaw.get();
    } catch (LinkageError e) {
      problem = NativeAccess.reason(e, candidate);
    }
    if (!problem.startsWith(NOT_FOUND)) {
      fail(candidate, place, problem);
    } else if (Path.of(candidate).isAbsolute()) {
      // It exists: the loader ignores a library for another processor.
      fail(candidate, place, "is for another kind of machine");
    } else {
      unknown.add(candidate);
    }
    return Optional.empty();
  }

  private void fail(String what, Place place, String problem) {
    attempts.add(what + place.origin() + ": " + problem);
  }

  /** Several names may be links to one file. */
  private static String realFile(String candidate) {
    try {
      return Path.of(candidate).isAbsolute()
          ? Path.of(candidate).toRealPath().toString()
          : candidate;
    } catch (IOException e) {
      return candidate;
    }
  }
}
