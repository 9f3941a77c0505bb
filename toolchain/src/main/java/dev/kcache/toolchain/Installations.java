// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import dev.kcache.codeobject.Platform;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directories in which the programs of a GPU's vendor are looked for, in order: {@code bin} of
 * what variables name, PATH, and {@code bin} of the releases below a prefix, such as {@code
 * /opt/rocm} and then {@code /opt/rocm-VERSION}, newest first.
 */
public final class Installations {
  private final Environment variables;
  private final List<String> homes;
  private final Path prefix;
  private final String release;

  private Installations(Environment variables, List<String> homes, Path prefix, String release) {
    this.variables = variables;
    this.homes = homes;
    this.prefix = prefix;
    this.release = release;
  }

  /** Returns where to search on this machine. */
  public static Installations of(Platform platform, Environment variables) {
    return platform == Platform.AMD
        ? rocm(variables, Path.of("/opt"))
        : cuda(variables, Path.of("/usr/local"));
  }

  /** Returns where to search for ROCm's programs, whose releases are in {@code prefix}. */
  public static Installations rocm(Environment variables, Path prefix) {
    return new Installations(variables, List.of("ROCM_PATH", "HIP_PATH"), prefix, "rocm");
  }

  /** Returns where to search for CUDA's programs, whose releases are in {@code prefix}. */
  public static Installations cuda(Environment variables, Path prefix) {
    return new Installations(variables, List.of("CUDA_HOME", "CUDA_PATH"), prefix, "cuda");
  }

  /** Returns the first program with this name. */
  public Optional<Path> find(String program) {
    List<Path> likely = new ArrayList<>(named());
    likely.addAll(variables.searchPath());
    likely.add(prefix.resolve(release).resolve("bin"));
    Optional<Path> found = Environment.program(program, likely);
    // To list a directory takes longer than to look into the usual ones.
    return found.isPresent() ? found : Environment.program(program, releasePrograms());
  }

  /** Returns the places as a phrase for a message. */
  public String describe() {
    List<String> places = new ArrayList<>();
    named().forEach(directory -> places.add(directory.toString()));
    places.add("PATH");
    places.add(prefix.resolve(release + "*").resolve("bin").toString());
    return String.join(", ", places);
  }

  private List<Path> named() {
    List<Path> named = new ArrayList<>();
    for (String home : homes) {
      Optional<Path> path = variables.path(home);
      if (path.isPresent()) {
        named.add(path.get().resolve("bin"));
      }
    }
    return named;
  }

  private List<Path> releasePrograms() {
    return releases(prefix, release).stream().map(each -> each.resolve("bin")).toList();
  }

  /** Returns the directories {@code NAME-VERSION} in {@code prefix}, newest first. */
  public static List<Path> releases(Path prefix, String name) {
    if (!Files.isDirectory(prefix)) {
      return List.of();
    }
    List<Path> releases = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(prefix, name + "-*")) {
      found.forEach(releases::add);
    } catch (IOException e) {
      return List.of();
    }
    releases.sort(Installations::compareVersions);
    Collections.reverse(releases);
    return releases;
  }

  private static int compareVersions(Path left, Path right) {
    Pattern number = Pattern.compile("\\d+");
    Matcher a = number.matcher(left.getFileName().toString());
    Matcher b = number.matcher(right.getFileName().toString());
    while (true) {
      boolean more = a.find();
      if (more != b.find()) {
        return more ? 1 : -1;
      }
      int order = more ? new BigInteger(a.group()).compareTo(new BigInteger(b.group())) : 0;
      if (!more || order != 0) {
        return order;
      }
    }
  }
}
