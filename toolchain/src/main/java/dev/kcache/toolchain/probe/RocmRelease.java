// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.ReleaseFiles;
import dev.kcache.rocm.RocmRoot;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The ROCm that a compiler belongs to: the directory with HIP, and the release by its files. Runs
 * nothing.
 *
 * @param root the directory with {@code include/hip}, links followed; empty if there is none
 * @param rocm the release of ROCm, such as {@code 7.2.0}; distributions' packages have no such file
 * @param hip HIP's version, such as {@code 6.4.43484}
 * @param files every file whose presence was checked
 * @param searched the directories in which HIP was looked for
 */
public record RocmRelease(
    Optional<Path> root,
    Optional<String> rocm,
    Optional<String> hip,
    Set<Path> files,
    Set<Path> searched) {
  /** The second is the place before ROCm 6. */
  private static final List<String> ROCM_HEADERS =
      List.of("include/rocm-core/rocm_version.h", "include/rocm_version.h");

  /** The second is the place before ROCm 5.6. */
  private static final List<String> HIP_SETTINGS = List.of("share/hip/version", "bin/.hipVersion");

  private static final String HIP_HEADER = "include/hip/hip_version.h";

  private static final Pattern SDK = Pattern.compile("\\d{1,4}\\.\\d{1,4}(\\.\\d{1,9})?");

  private static final Pattern NUMBER =
      Pattern.compile("(?m)^(?:#define\\s+)?(?:HIP|ROCM)_VERSION_(MAJOR|MINOR|PATCH)[=\\s]+(\\d+)");

  /** Copies the sets. */
  public RocmRelease {
    files = Set.copyOf(files);
    searched = Set.copyOf(searched);
  }

  /**
   * Finds the ROCm of a compiler: the directory that {@code ROCM_PATH} or {@code HIP_PATH} names,
   * which clang uses too, else the root of the program, first by the path on which it was found,
   * then by its real path.
   *
   * @throws ToolchainNotFoundException if two of its files name different releases
   */
  public static RocmRelease of(Path program, Map<String, String> environment) {
    Set<Path> searched = new LinkedHashSet<>();
    for (String variable : List.of("ROCM_PATH", "HIP_PATH")) {
      if (environment.containsKey(variable)) {
        searched.add(Path.of(environment.get(variable)));
      }
    }
    searched.addAll(RocmRoot.above(program));
    Set<Path> files = new LinkedHashSet<>();
    Optional<Path> root = root(searched, files);
    Function<String, Optional<String>> text =
        name -> {
          Path file = root.orElseThrow().resolve(name);
          files.add(file);
          return ReleaseFiles.text(file);
        };
    return of(root, root.map(Path::toString), text, files, searched);
  }

  private static Optional<Path> root(Set<Path> searched, Set<Path> looked) {
    for (Path directory : searched) {
      looked.add(directory.resolve(HIP_HEADER));
      if (Files.isRegularFile(directory.resolve(HIP_HEADER))) {
        return Optional.of(ToolchainPaths.real(directory));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the ROCm in a directory of another machine, without the paths here.
   *
   * @param root the directory, if there is one
   * @param text returns the text of one of {@link #names} there; empty if it can't be read
   * @throws ToolchainNotFoundException if two of its files name different releases
   */
  public static RocmRelease in(Optional<String> root, Function<String, Optional<String>> text) {
    return of(Optional.empty(), root, text, Set.of(), Set.of());
  }

  /** Returns the names of the files that tell a release, relative to the directory of a ROCm. */
  public static List<String> names() {
    return Stream.of(ReleaseFiles.NAMES, ROCM_HEADERS, HIP_SETTINGS, List.of(HIP_HEADER))
        .flatMap(List::stream)
        .toList();
  }

  private static RocmRelease of(
      Optional<Path> root,
      Optional<String> shown,
      Function<String, Optional<String>> text,
      Set<Path> files,
      Set<Path> searched) {
    Optional<String> rocm =
        shown.flatMap(directory -> rocm(directory, text)).or(() -> root.flatMap(RocmRelease::sdk));
    Optional<String> hip = shown.isEmpty() ? Optional.empty() : hip(text);
    return new RocmRelease(root, rocm, hip, files, searched);
  }

  /** The HIP SDK for Windows has its release as the name of its directory alone. */
  private static Optional<String> sdk(Path root) {
    Path releases = root.getParent();
    return releases != null && releases.endsWith(Path.of("AMD", "ROCm"))
        ? Optional.of(root.getFileName().toString()).filter(SDK.asMatchPredicate())
        : Optional.empty();
  }

  private static Optional<String> rocm(String root, Function<String, Optional<String>> text) {
    Optional<Told> told = first(ReleaseFiles.NAMES, text, ReleaseFiles::release);
    Optional<Told> header = first(ROCM_HEADERS, text, RocmRelease::numbers);
    if (told.isPresent()
        && header.isPresent()
        && !majorMinor(told.get().version()).equals(majorMinor(header.get().version()))) {
      throw new ToolchainNotFoundException(
          "%s is of ROCm %s, and %s of ROCm %s: two releases are mixed in one directory; reinstall one of them"
              .formatted(
                  root + "/" + told.get().file(),
                  told.get().version(),
                  root + "/" + header.get().file(),
                  header.get().version()));
    }
    return told.or(() -> header).map(Told::version);
  }

  private static Optional<String> hip(Function<String, Optional<String>> text) {
    return first(HIP_SETTINGS, text, RocmRelease::numbers)
        .or(() -> first(List.of(HIP_HEADER), text, RocmRelease::numbers))
        .map(Told::version);
  }

  /** A version, and the file that names it. */
  private record Told(String file, String version) {}

  private interface Reader {
    Optional<String> version(String text);
  }

  private static Optional<Told> first(
      List<String> names, Function<String, Optional<String>> text, Reader reader) {
    for (String name : names) {
      Optional<String> version = text.apply(name).flatMap(reader::version);
      if (version.isPresent()) {
        return Optional.of(new Told(name, version.get()));
      }
    }
    return Optional.empty();
  }

  private static Optional<String> numbers(String text) {
    String[] numbers = new String[3];
    List<String> names = List.of("MAJOR", "MINOR", "PATCH");
    NUMBER
        .matcher(text)
        .results()
        .forEach(found -> numbers[names.indexOf(found.group(1))] = found.group(2));
    return numbers[0] == null || numbers[1] == null
        ? Optional.empty()
        : Optional.of(numbers[0] + "." + numbers[1] + (numbers[2] == null ? "" : "." + numbers[2]));
  }

  private static String majorMinor(String version) {
    return version.replaceFirst("^(\\d+\\.\\d+).*$", "$1");
  }

  /**
   * Returns the version of a compiler of this ROCm: its release, else HIP's version.
   *
   * @param text what the compiler printed about itself
   */
  public Optional<CompilerVersion> version(String text) {
    return rocm.map(release -> version("ROCm", release, text))
        .or(() -> hip.map(version -> version("HIP", version, text)));
  }

  private static CompilerVersion version(String product, String version, String text) {
    return new CompilerVersion(
        product, version, text, ToolchainLabel.ofVersion(Platform.AMD, version));
  }

  /** Returns whether the version of HIP is known and older than the given one. */
  public boolean isOlderThan(int major, int minor) {
    if (hip.isEmpty()) {
      return false;
    }
    String[] numbers = hip.get().split("\\.", -1);
    int has = Integer.parseInt(numbers[0]);
    return has < major || (has == major && Integer.parseInt(numbers[1]) < minor);
  }

  /** Returns the searched directories as a phrase for a message. */
  public String describeSearch() {
    List<String> places = new ArrayList<>();
    searched.forEach(directory -> places.add(directory.toString()));
    return places.stream().sorted().collect(Collectors.joining(", "));
  }
}
