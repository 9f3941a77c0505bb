// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Environment;
import dev.kcache.toolchain.Installations;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Path;
import java.util.Optional;

/** Finds a compiler driver: where a variable says, else the first in a list of directories. */
public final class DriverLocator {
  private final String program;
  private final String variable;
  private final String installation;
  private final Environment variables;
  private final Installations directories;

  private DriverLocator(
      String program,
      String variable,
      String installation,
      Environment variables,
      Installations directories) {
    this.program = program;
    this.variable = variable;
    this.installation = installation;
    this.variables = variables;
    this.directories = directories;
  }

  /** Returns the locator of a platform's driver on this machine. */
  public static DriverLocator of(Platform platform, Environment variables) {
    return of(platform, variables, Installations.of(platform, variables));
  }

  public static DriverLocator of(
      Platform platform, Environment variables, Installations directories) {
    return platform == Platform.AMD
        ? new DriverLocator(
            "hipcc",
            "KCACHE_HIPCC",
            "ROCm's compiler (Debian, Ubuntu: apt install hipcc)",
            variables,
            directories)
        : new DriverLocator("nvcc", "KCACHE_NVCC", "NVIDIA's CUDA toolkit", variables, directories);
  }

  /**
   * Returns the absolute path of the driver; it is an executable file.
   *
   * @throws ToolchainNotFoundException if there is none, or the variable names something else
   * @throws IllegalArgumentException if a variable holds no path
   */
  public Path locate() {
    Optional<Path> named = variables.path(variable);
    if (named.isPresent()) {
      return checked(named.get());
    }
    Optional<Path> found = directories.find(program);
    if (found.isEmpty()) {
      throw notFound();
    }
    return found.get();
  }

  private Path checked(Path named) {
    if (!Environment.isProgram(named)) {
      throw new ToolchainNotFoundException(
          variable + "=" + named + ": not an executable file; set it to the path of " + program);
    }
    return named;
  }

  private ToolchainNotFoundException notFound() {
    return new ToolchainNotFoundException(
        "no "
            + program
            + " in "
            + directories.describe()
            + "; install "
            + installation
            + " or set "
            + variable
            + " to its path");
  }
}
