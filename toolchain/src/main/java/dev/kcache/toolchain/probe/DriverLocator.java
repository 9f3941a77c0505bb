// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Environment;
import dev.kcache.toolchain.Installations;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Finds a compiler driver: where a variable says, else the first in a list of directories. */
public final class DriverLocator {
  /** The second is the name that it had when hipcc was the only kind. */
  private static final List<String> AMD = List.of("KCACHE_COMPILER", "KCACHE_HIPCC");

  private static final List<String> NVIDIA = List.of("KCACHE_NVCC");

  private final Platform platform;
  private final Environment variables;
  private final Installations directories;

  private DriverLocator(Platform platform, Environment variables, Installations directories) {
    this.platform = platform;
    this.variables = variables;
    this.directories = directories;
  }

  /** Returns the locator of a platform's drivers on this machine. */
  public static DriverLocator of(Platform platform, Environment variables) {
    return of(platform, variables, Installations.of(platform, variables));
  }

  public static DriverLocator of(
      Platform platform, Environment variables, Installations directories) {
    return new DriverLocator(platform, variables, directories);
  }

  /** Returns the variable that names a platform's driver, if one does; else the one that could. */
  public static String variable(Platform platform, Environment variables) {
    List<String> names = platform == Platform.AMD ? AMD : NVIDIA;
    return names.stream()
        .filter(name -> variables.get(name).isPresent())
        .findFirst()
        .orElse(names.get(0));
  }

  /** Returns {@link #variable(Platform, Environment)} of this one. */
  public String variable() {
    return variable(platform, variables);
  }

  /**
   * Returns the absolute path of the driver that a variable names, if one does; it is an executable
   * file.
   *
   * @throws ToolchainNotFoundException if the variable names something else
   * @throws IllegalArgumentException if it holds no path
   */
  public Optional<Path> named() {
    Optional<Path> named = variables.path(variable());
    if (named.isPresent() && !Environment.isProgram(named.get())) {
      throw new ToolchainNotFoundException(
          variable()
              + "="
              + named.get()
              + ": not an executable file; set it to the path of "
              + (platform == Platform.AMD ? "a hipcc or amdclang++" : "nvcc"));
    }
    return named;
  }

  /** Returns the absolute path of the first program with a name. */
  public Optional<Path> find(String program) {
    return directories.find(program);
  }

  /** Returns the failure to find a program. */
  public ToolchainNotFoundException notFound(String program) {
    return new ToolchainNotFoundException(
        "no "
            + program
            + " in "
            + directories.describe()
            + "; install "
            + (platform == Platform.AMD
                ? "ROCm's compiler (Debian, Ubuntu: apt install hipcc)"
                : "NVIDIA's CUDA toolkit")
            + " or set "
            + variable()
            + " to its path");
  }
}
