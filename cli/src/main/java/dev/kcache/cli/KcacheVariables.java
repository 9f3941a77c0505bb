// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The environment variables that are kcache's own, to find one that is misspelt. */
final class KcacheVariables {
  static final SortedSet<String> KNOWN =
      new TreeSet<>(
          List.of(
              "KCACHE_ARCH",
              "KCACHE_CODE_OBJECT_VERSION",
              "KCACHE_COMPILER",
              "KCACHE_CUDA_VERSION",
              "KCACHE_DIR",
              "KCACHE_DISABLE",
              "KCACHE_EXECUTOR",
              "KCACHE_EXECUTOR_PLATFORM",
              "KCACHE_GRPC_HEADERS",
              "KCACHE_HIPCC",
              "KCACHE_HIP_LEAKS",
              "KCACHE_HIP_LIBRARY",
              "KCACHE_HSA_LIBRARY",
              "KCACHE_JAVA_OPTS",
              "KCACHE_LOG",
              "KCACHE_MAVEN_ARGS",
              "KCACHE_MAX_AGE",
              "KCACHE_MAX_SIZE",
              "KCACHE_NVCC",
              "KCACHE_PATH",
              "KCACHE_POLICY",
              "KCACHE_REDIS_PASSWORD",
              "KCACHE_REMOTE",
              "KCACHE_REMOTE_MODE",
              "KCACHE_ROCM_VERSION",
              "KCACHE_RUSTC",
              "KCACHE_RUNTIME",
              "KCACHE_SHARED",
              "KCACHE_SIGN_KEY",
              "KCACHE_SURVIVE_GPU_FAULTS",
              "KCACHE_TOOLCHAIN",
              "KCACHE_TRACE",
              "KCACHE_TRUSTED_KEYS",
              "KCACHE_WEBDAV_PASSWORD",
              "KCACHE_WEBDAV_USER"));

  private static final String PREFIX = "KCACHE_";

  private KcacheVariables() {}

  /** Returns a warning for each variable that looks like kcache's and is none. */
  static List<Check> check(Map<String, String> environment) {
    return environment.keySet().stream()
        .filter(name -> name.startsWith(PREFIX) && !KNOWN.contains(name))
        .sorted()
        .map(name -> Check.warn("variable", name + " is unknown and has no effect", fix(name)))
        .toList();
  }

  /** Returns {@code NAME='value'} of each variable, joined; empty if there are no names. */
  static Optional<String> assignments(Stream<String> names, Map<String, String> environment) {
    return names
        .map(name -> name + "='" + environment.get(name) + "'")
        .reduce((one, other) -> one + ", " + other);
  }

  /** Returns whether a variable is set; an empty one is not. */
  static boolean isSet(String name, Map<String, String> environment) {
    return !environment.getOrDefault(name, "").isEmpty();
  }

  private static String fix(String unknown) {
    return Text.closest(unknown, KNOWN)
        .map(known -> "did you mean " + known + "?")
        .orElse("unset it; kcache knows " + String.join(", ", KNOWN));
  }
}
