// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the variables of {@code kcache doctor}'s directories that hold a relative path. Some are
 * ignored then; others lead elsewhere from each working directory.
 */
record RelativeVariables(Map<String, String> environment) {
  /** A directory that a variable was to name, and what to do. */
  record Finding(String detail, String fix) {}

  /**
   * Returns what is wrong with the choice of the cache directory, if no option names it. Empty
   * variables count as unset.
   */
  Optional<Finding> ofCache() {
    Optional<Finding> own = taken("KCACHE_DIR", environment.getOrDefault("KCACHE_DIR", ""));
    return own.isPresent() || KcacheVariables.isSet("KCACHE_DIR", environment)
        ? own
        : ignored("XDG_CACHE_HOME");
  }

  /** Returns what is wrong with the choice of the temporary directory. */
  Optional<Finding> ofTemporaryFiles() {
    return ignored("TMPDIR");
  }

  /** Returns what is wrong with the part of {@code KCACHE_PATH} that leads to a layer. */
  Optional<Finding> ofLayer(Path root) {
    return Stream.of(environment.getOrDefault("KCACHE_PATH", "").split(File.pathSeparator, -1))
        .filter(part -> absolute(part).equals(root))
        .findFirst()
        .flatMap(part -> taken("KCACHE_PATH", part));
  }

  /** A relative path is taken from the working directory, whichever that is. */
  private static Optional<Finding> taken(String name, String value) {
    return find(
        value,
        "'%s' in %s is relative: it is another directory wherever kcache is started"
            .formatted(value, name));
  }

  /** As the XDG Base Directory Specification says of its variables. */
  private Optional<Finding> ignored(String name) {
    String value = environment.getOrDefault(name, "");
    return find(value, "%s='%s' is relative and ignored".formatted(name, value));
  }

  private static Optional<Finding> find(String value, String detail) {
    return value.isEmpty() || Path.of(value).isAbsolute()
        ? Optional.empty()
        : Optional.of(
            new Finding(
                detail,
                value.startsWith("~")
                    ? "write it with $HOME instead of ~, which only a shell expands, and that not"
                        + " inside quotes"
                    : "name an absolute path"));
  }

  static Path absolute(String path) {
    return Path.of(path).toAbsolutePath().normalize();
  }
}
