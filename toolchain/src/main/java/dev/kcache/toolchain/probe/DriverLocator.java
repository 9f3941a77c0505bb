// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.Newest;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.rocm.RocmProgram;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds a compiler driver: the one that a variable names, else ROCm's by {@link RocmFinder}, or
 * nvcc below {@code CUDA_HOME}, {@code CUDA_PATH}, in PATH, and below {@code /usr/local/cuda*}.
 */
public final class DriverLocator {
  private static final String NVCC = "nvcc";

  private final Platform platform;
  private final Environment variables;
  private final Path prefix;
  private final RocmFinder finder;

  /**
   * Creates a locator.
   *
   * @param root the root of the file system, below which the usual places are
   */
  public DriverLocator(Platform platform, Environment variables, Path root) {
    this(platform, variables, root, RocmFinder.of(variables, root));
  }

  DriverLocator(Platform platform, Environment variables, Path root, RocmFinder finder) {
    this.platform = platform;
    this.variables = variables;
    this.prefix = root.resolve("usr/local");
    this.finder = finder;
  }

  /** Returns the variable that names a platform's driver; if none is set, the preferred one. */
  public static String variable(Platform platform, Environment variables) {
    List<String> names = platform == Platform.AMD ? RocmFinder.VARIABLES : List.of("KCACHE_NVCC");
    for (String name : names) {
      if (variables.get(name).isPresent()) {
        return name;
      }
    }
    return names.get(0);
  }

  /** Returns {@link #variable(Platform, Environment)} of this one. */
  public String variable() {
    return variable(platform, variables);
  }

  /**
   * Returns the absolute path of the driver that a variable names. If it names a script of a Python
   * wheel, the driver is the program in that wheel.
   *
   * @throws ToolchainNotFoundException if the variable names something else
   * @throws IllegalArgumentException if it holds no path
   */
  public Optional<Path> named() {
    Optional<Path> named = variables.path(variable());
    if (named.isEmpty()) {
      return named;
    }
    String setting = variable() + "=" + named.get();
    if (!Environment.isProgram(named.get())) {
      throw new ToolchainNotFoundException(
          setting
              + ": not an executable file; set it to the path of "
              + (platform == Platform.AMD ? "a hipcc or amdclang++" : NVCC));
    }
    if (platform == Platform.NVIDIA) {
      return named;
    }
    Optional<Path> program = finder.standing(named.get()).map(RocmProgram::file);
    if (program.isEmpty()) {
      throw new ToolchainNotFoundException(
          setting + ": its environment " + finder.problem(named.get()));
    }
    return program;
  }

  /**
   * Returns the absolute path of the first driver of the given kinds. If a ROCm has several kinds,
   * the first of them is preferred. A {@code clang++} that has HIP's headers counts as {@code
   * amdclang++}.
   */
  public Optional<Path> find(List<String> kinds) {
    if (platform == Platform.NVIDIA) {
      return nvcc();
    }
    Optional<RocmProgram> driver = finder.driver(kinds);
    return driver.isPresent() ? Optional.of(driver.get().file()) : Optional.empty();
  }

  private static String install(boolean windows) {
    return windows
        ? "AMD's HIP SDK, or ROCm in WSL (wsl --install; KCACHE_TOOLCHAIN=wsl),"
        : "ROCm's compiler (Debian, Ubuntu: apt install hipcc)";
  }

  private Optional<Path> nvcc() {
    List<Path> likely = new ArrayList<>(homes());
    likely.addAll(variables.searchPath());
    likely.add(prefix.resolve("cuda/bin"));
    // Listing a directory takes longer than looking into the usual ones.
    return Environment.program(NVCC, likely)
        .or(() -> Environment.program(NVCC, bin(Newest.first(prefix, "cuda-*").stream())));
  }

  private List<Path> homes() {
    return bin(Stream.of("CUDA_HOME", "CUDA_PATH").flatMap(name -> variables.path(name).stream()));
  }

  private static List<Path> bin(Stream<Path> directories) {
    return directories.map(directory -> directory.resolve("bin")).toList();
  }

  /** Returns the exception for a driver that was not found. */
  public ToolchainNotFoundException notFound(List<String> kinds) {
    boolean amd = platform == Platform.AMD;
    StringBuilder message = new StringBuilder("no ").append(kinds.get(0)).append(" in ");
    if (amd) {
      message.append(finder.describe());
    } else {
      for (Path home : homes()) {
        message.append(home).append(", ");
      }
      message.append("PATH, ").append(prefix).append("/cuda*/bin");
    }
    for (String other : kinds.subList(1, kinds.size())) {
      message.append(", and no ").append(other);
    }
    List<String> problems = amd ? finder.problems() : List.of();
    if (!problems.isEmpty()) {
      // Each problem says what to do. Installing a second compiler would not solve it.
      return new ToolchainNotFoundException(message + "; " + String.join("; ", problems));
    }
    message
        .append("; install ")
        .append(amd ? install(finder.windows()) : "NVIDIA's CUDA toolkit")
        .append(" or set ")
        .append(variable())
        .append(" to its path");
    return new ToolchainNotFoundException(message.toString());
  }
}
