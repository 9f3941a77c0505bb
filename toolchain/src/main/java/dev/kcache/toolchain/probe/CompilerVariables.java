// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The environment variables of ROCm and CUDA that concern a compiler: those that say where it and
 * its parts are, and those that would add flags.
 */
public final class CompilerVariables {
  /** The variables that give directories to hipcc and to the clang behind it. */
  public static final List<String> ROCM_DIRECTORIES =
      List.of("ROCM_PATH", "HIP_PATH", "HIP_CLANG_PATH", "HIP_DEVICE_LIB_PATH", "DEVICE_LIB_PATH");

  /** The directories in which nvcc is looked for. */
  private static final List<String> CUDA_DIRECTORIES = List.of("CUDA_HOME", "CUDA_PATH");

  /**
   * Those by which hipcc 5.2 or 6.4 compiles device code otherwise. HIPCC_LINK_FLAGS_APPEND,
   * HIP_LIB_PATH, HIP_COMPILER and HIP_RUNTIME decide nothing of it, and HSA_PATH only names
   * headers for the host.
   */
  private static final List<String> ROCM_FLAGS =
      List.of("HIPCC_COMPILE_FLAGS_APPEND", "HIP_CLANG_HCC_COMPAT_MODE", "CCC_OVERRIDE_OPTIONS");

  private static final List<String> CUDA_FLAGS = List.of("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS");

  private CompilerVariables() {}

  /** Returns what is wrong with the first variable that names no directory, and what to do. */
  public static Optional<String> fault(Platform platform, Map<String, String> environment) {
    Environment variables = new Environment(environment);
    // These only serve to find nvcc, which takes no directory from them.
    if (platform == Platform.NVIDIA && variables.get("KCACHE_NVCC").isPresent()) {
      return Optional.empty();
    }
    for (String name : platform == Platform.AMD ? ROCM_DIRECTORIES : CUDA_DIRECTORIES) {
      Optional<Path> path = variables.path(name);
      if (path.isPresent() && !Files.isDirectory(path.get())) {
        return Optional.of(
            name + "=" + path.get() + ": there is no such directory; correct it or unset it");
      }
    }
    return Optional.empty();
  }

  /**
   * Returns what is wrong with {@code HIP_PLATFORM} and what to do, if it names no platform. hipcc
   * ends with an error then, and so does a search for the GPU's runtime.
   */
  public static Optional<String> unknownPlatform(Map<String, String> environment) {
    return new Environment(environment)
        .get("HIP_PLATFORM")
        .filter(name -> Platform.named(name).isEmpty())
        .map(
            name ->
                "HIP_PLATFORM='" + name + "' is neither amd nor nvidia; correct it or unset it");
  }

  /**
   * Returns whether a compiler that can't be found is one that they ask for: by the name of its
   * program, by a directory that is not there, or by a platform that is none.
   */
  public static boolean askForOne(Platform platform, Map<String, String> environment) {
    return name(platform, environment)
        || fault(platform, environment).isPresent()
        || unknownPlatform(environment).isPresent();
  }

  /** Returns whether they name a compiler's program. */
  public static boolean name(Platform platform, Map<String, String> environment) {
    Environment variables = new Environment(environment);
    return variables.get(DriverLocator.variable(platform, variables)).isPresent();
  }

  /**
   * Returns the variables with flags that are not passed on, as one notice; empty if none is set.
   */
  public static Optional<String> ignoredFlags(Platform platform, Map<String, String> environment) {
    Environment variables = new Environment(environment);
    String set =
        (platform == Platform.AMD ? ROCM_FLAGS : CUDA_FLAGS)
            .stream()
                .filter(name -> variables.get(name).isPresent())
                .map(name -> name + "='" + variables.get(name).orElse("") + "'")
                .collect(Collectors.joining(", "));
    return set.isEmpty()
        ? Optional.empty()
        : Optional.of(
            set
                + ": not passed to the compiler; give a kernel options with --option or"
                + " withOptions");
  }
}
