// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Environment variables as kcache reads them: an empty one counts as unset. */
public final class Environment {
  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

  /** The name that Windows has for PATH, where names differ by more than case. */
  private static final String WINDOWS_PATH = "Path";

  private final Map<String, String> environment;

  /**
   * Creates a reader of variables.
   *
   * @param environment the variables by name, such as {@link System#getenv()}; copied
   */
  public Environment(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /**
   * {@return the value of a variable; empty if it is unset or empty}
   *
   * @param name such as {@code ROCM_PATH}
   */
  public Optional<String> get(String name) {
    String value = environment.get(name);
    if (value == null && name.equals("PATH")) {
      value = environment.get(WINDOWS_PATH);
    }
    return value == null || value.isEmpty() ? Optional.empty() : Optional.of(value);
  }

  /**
   * {@return the value of a variable for which being empty and being unset differ}
   *
   * @param name such as {@code ROCM_PATH}
   */
  public Optional<String> raw(String name) {
    return Optional.ofNullable(environment.get(name));
  }

  /**
   * {@return the absolute path that a variable holds, unless it is unset}
   *
   * @param name such as {@code ROCM_PATH}
   * @throws IllegalArgumentException if the value is no path
   */
  public Optional<Path> path(String name) {
    Optional<String> value = get(name);
    return value.isEmpty() ? Optional.empty() : Optional.of(toPath(name, value.get()));
  }

  /**
   * {@return the directories of PATH, or the usual ones if it is unset} Relative ones are left out:
   * they would make programs of the files of whatever directory a process runs in.
   */
  public List<Path> searchPath() {
    return directories(get("PATH").orElse(DEFAULT_PATH), File.pathSeparator);
  }

  /**
   * {@return the absolute directories of a list such as {@code LD_LIBRARY_PATH}; none if unset}
   *
   * @param name of a variable whose value is parted as PATH is
   */
  public List<Path> listed(String name) {
    return get(name).map(list -> directories(list, File.pathSeparator)).orElse(List.of());
  }

  /** {@return the search path as the value of PATH} */
  public String searchPathText() {
    StringBuilder text = new StringBuilder();
    for (Path directory : searchPath()) {
      text.append(text.isEmpty() ? "" : File.pathSeparator).append(directory);
    }
    return text.toString();
  }

  /**
   * {@return every variable whose name begins with one of {@code prefixes}}
   *
   * @param prefixes at least one; a name itself is one, too
   */
  public Stream<Map.Entry<String, String>> startingWith(String... prefixes) {
    return environment.entrySet().stream()
        .filter(entry -> Arrays.stream(prefixes).anyMatch(entry.getKey()::startsWith));
  }

  /**
   * {@return the first of {@code directories} that holds a program with this name}
   *
   * @param name the file's name
   * @param directories where to look, in order
   */
  public static Optional<Path> program(String name, List<Path> directories) {
    for (Path directory : directories) {
      Path file = directory.resolve(name);
      if (isProgram(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  /**
   * {@return whether a path leads to a regular file that this process may execute}
   *
   * @param file may be missing
   */
  public static boolean isProgram(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }

  private static Path toPath(String name, String value) {
    try {
      return Path.of(value).toAbsolutePath().normalize();
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(name + "=" + value + ": not a path", e);
    }
  }

  /** Returns the absolute directories of a list with a separator. */
  static List<Path> directories(String list, String separator) {
    List<Path> directories = new ArrayList<>();
    for (String directory : list.split(separator, -1)) {
      try {
        Path path = Path.of(directory);
        if (path.isAbsolute()) {
          directories.add(path);
        }
      } catch (InvalidPathException e) {
        // No file can be in it.
      }
    }
    return directories;
  }
}
