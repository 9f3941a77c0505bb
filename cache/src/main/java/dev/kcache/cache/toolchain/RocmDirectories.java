// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directories in which ROCm's programs are looked for, in order: {@code ROCM_PATH/bin}, {@code
 * HIP_PATH/bin}, PATH, {@code /opt/rocm/bin}, and {@code /opt/rocm-VERSION/bin}, newest first.
 */
final class RocmDirectories {
  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final Comparator<Path> BY_VERSION = RocmDirectories::compareVersions;

  private final Variables variables;
  private final Path prefix;

  RocmDirectories(Variables variables, Path prefix) {
    this.variables = variables;
    this.prefix = prefix;
  }

  /** Returns where to search on this machine, whose own ROCm releases are in {@code /opt}. */
  static RocmDirectories of(Variables variables) {
    return new RocmDirectories(variables, Path.of("/opt"));
  }

  /** Returns the first program with this name. */
  Optional<Path> find(String program) {
    return Variables.program(program, all());
  }

  /** Returns the places as a phrase for a message. */
  String describe() {
    List<String> places = new ArrayList<>();
    for (String variable : List.of("ROCM_PATH", "HIP_PATH")) {
      variables.path(variable).ifPresent(path -> places.add(path.resolve("bin").toString()));
    }
    places.add("PATH");
    places.add(prefix.resolve("rocm*").resolve("bin").toString());
    return String.join(", ", places);
  }

  private List<Path> all() {
    List<Path> directories = new ArrayList<>();
    variables.path("ROCM_PATH").ifPresent(path -> directories.add(path.resolve("bin")));
    variables.path("HIP_PATH").ifPresent(path -> directories.add(path.resolve("bin")));
    directories.addAll(variables.searchPath());
    directories.add(prefix.resolve("rocm").resolve("bin"));
    releases().forEach(release -> directories.add(release.resolve("bin")));
    return directories;
  }

  private List<Path> releases() {
    if (!Files.isDirectory(prefix)) {
      return List.of();
    }
    List<Path> releases = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(prefix, "rocm-*")) {
      found.forEach(releases::add);
    } catch (IOException e) {
      return List.of();
    }
    releases.sort(BY_VERSION.reversed());
    return releases;
  }

  private static int compareVersions(Path left, Path right) {
    Matcher a = NUMBER.matcher(left.getFileName().toString());
    Matcher b = NUMBER.matcher(right.getFileName().toString());
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
