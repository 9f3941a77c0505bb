// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.toolchain.driver.CodeObjectVersions;
import java.io.File;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The settings that a manager takes from its environment, validated before any of them is used. An
 * empty variable counts as unset.
 *
 * @param directory the root of the cache, absolute; empty if there is no place for one
 * @param ownDirectory the root of a cache that is this user's alone, absolute; the same one, unless
 *     that is shared
 * @param layers the roots of the layers to read below it, absolute, in order
 * @param policy which records may serve
 * @param disabled whether the disk is neither read nor written, layers included
 * @param limits how much the cache directory may hold
 * @param shared whether the directory is meant for a group
 * @param toolchain the name of the toolchain that is asked for, if one is
 */
record CacheSettings(
    Optional<Path> directory,
    Optional<Path> ownDirectory,
    List<Path> layers,
    CachePolicy policy,
    boolean disabled,
    CacheLimits limits,
    boolean shared,
    Optional<String> toolchain) {

  static CacheSettings of(Map<String, String> environment) {
    Optional<String> named = variable(environment, "KCACHE_DIR");
    Optional<String> layers = variable(environment, "KCACHE_PATH");
    Optional<String> policy = variable(environment, "KCACHE_POLICY");
    Optional<String> disabled = variable(environment, "KCACHE_DISABLE");
    Optional<String> shared = variable(environment, "KCACHE_SHARED");
    // Wrong is wrong, whether or not this process compiles by it.
    var unused = CodeObjectVersions.in(environment);
    boolean isShared = shared.isPresent() && shared(shared.get(), named.isPresent());
    Optional<Path> directory =
        named.isPresent() ? Optional.of(own(named.get())) : usual(environment);
    return new CacheSettings(
        directory,
        isShared ? usual(environment) : directory,
        layers.isEmpty() ? List.of() : layers(layers.get()),
        policy.isEmpty() ? CachePolicy.AUTO : policy(policy.get()),
        disabled.isPresent() && disabled(disabled.get()),
        limits(environment),
        isShared,
        variable(environment, "KCACHE_TOOLCHAIN"));
  }

  /** Returns these settings with another toolchain. */
  CacheSettings withToolchain(String name) {
    return new CacheSettings(
        directory, ownDirectory, layers, policy, disabled, limits, shared, Optional.of(name));
  }

  private static CacheLimits limits(Map<String, String> environment) {
    CacheLimits limits = CacheLimits.DEFAULT;
    Optional<String> size = variable(environment, "KCACHE_MAX_SIZE");
    Optional<String> age = variable(environment, "KCACHE_MAX_AGE");
    try {
      if (size.isPresent()) {
        limits = limits.withMaxSize(CacheLimits.parseSize(size.get()));
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("KCACHE_MAX_SIZE: " + e.getMessage(), e);
    }
    try {
      return age.isPresent() ? limits.withMaxAge(CacheLimits.parseAge(age.get())) : limits;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("KCACHE_MAX_AGE: " + e.getMessage(), e);
    }
  }

  /**
   * Returns these settings for a directory that is meant for a group.
   *
   * @throws IllegalArgumentException if the environment names none
   */
  CacheSettings sharing(Map<String, String> environment) {
    return new CacheSettings(
        directory,
        usual(environment),
        layers,
        policy,
        disabled,
        limits,
        shared("group", variable(environment, "KCACHE_DIR").isPresent()),
        toolchain);
  }

  /** Returns where a user's cache is unless it is said otherwise. */
  private static Optional<Path> usual(Map<String, String> environment) {
    // The XDG specification says that a relative path here is invalid and to be ignored.
    Optional<Path> caches = path(environment, "XDG_CACHE_HOME");
    if (caches.isPresent() && caches.get().isAbsolute()) {
      return Optional.of(caches.get().resolve("kcache"));
    }
    Optional<Path> home = path(environment, "HOME");
    return home.isPresent() && home.get().isAbsolute()
        ? Optional.of(home.get().resolve(".cache").resolve("kcache"))
        : Optional.empty();
  }

  private static boolean shared(String value, boolean isNamed) {
    if (!value.equals("group")) {
      throw new IllegalArgumentException(
          "KCACHE_SHARED='" + value + "' is unknown; use group, or unset it for a private cache");
    }
    if (!isNamed) {
      throw new IllegalArgumentException(
          "KCACHE_SHARED=group needs KCACHE_DIR: set it to the directory that the group shares");
    }
    return true;
  }

  private static Path own(String directory) {
    try {
      return alone("KCACHE_DIR=", absolute(directory));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("KCACHE_DIR is not a path: " + e.getReason(), e);
    }
  }

  /**
   * Returns a directory that may be a cache's. The root of the file system never is one: its mode
   * would be changed, and whatever looks like an entry in it could be removed.
   *
   * @param origin what names it, for a message
   * @throws IllegalArgumentException if it is the root of the file system
   */
  static Path alone(String origin, Path directory) {
    if (directory.getNameCount() == 0) {
      throw new IllegalArgumentException(
          origin
              + directory
              + " is the root of the file system; name a directory for the cache alone");
    }
    return directory;
  }

  private static List<Path> layers(String value) {
    return Arrays.stream(value.split(Pattern.quote(File.pathSeparator)))
        .filter(layer -> !layer.isEmpty())
        .flatMap(layer -> layer(layer).stream())
        .toList();
  }

  /** A layer that is missing is passed over, and so is one that can only be missing. */
  private static Optional<Path> layer(String directory) {
    try {
      return Optional.of(absolute(directory));
    } catch (InvalidPathException e) {
      if (DirectoryWarnings.isNew(DirectoryWarnings.Kind.NO_PATH, directory)) {
        log()
            .log(Level.WARNING, "KCACHE_PATH holds something that is not a path: " + e.getReason());
      }
      return Optional.empty();
    }
  }

  private static Path absolute(String directory) {
    return Path.of(directory).toAbsolutePath().normalize();
  }

  /** Returns the path that a variable holds; nothing if it is unset, empty or no path. */
  static Optional<Path> path(Map<String, String> environment, String name) {
    Optional<String> value = variable(environment, name);
    try {
      return value.isEmpty() ? Optional.empty() : Optional.of(Path.of(value.get()));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  private static CachePolicy policy(String value) {
    return switch (value) {
      case "auto" -> CachePolicy.AUTO;
      case "prefer-cache" -> CachePolicy.PREFER_CACHE;
      case "sealed" -> CachePolicy.SEALED;
      default ->
          throw new IllegalArgumentException(
              "KCACHE_POLICY='" + value + "' is unknown; use auto, prefer-cache or sealed");
    };
  }

  private static boolean disabled(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "1", "true", "yes", "on" -> true;
      case "0", "false", "no", "off" -> false;
      default ->
          throw new IllegalArgumentException(
              "KCACHE_DISABLE='" + value + "' is neither true nor false; use 1 or 0");
    };
  }

  private static Optional<String> variable(Map<String, String> environment, String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? Optional.empty() : Optional.of(value);
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(CacheSettings.class.getName());
  }
}
