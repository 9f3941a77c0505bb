// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Access;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.CodeObjectVersions;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a manager: the builder's, else the environment's, validated before any of them is
 * used. An empty variable counts as unset. Paths are absolute; {@code ownDirectory} is the root of
 * a cache that is this user's alone.
 */
record CacheSettings(
    Optional<Path> directory,
    Access access,
    Optional<Path> ownDirectory,
    List<Path> layers,
    CachePolicy policy,
    boolean disabled,
    CacheLimits limits,
    Optional<String> toolchain) {

  static CacheSettings of(CacheManagerBuilder builder) {
    Environment environment = new Environment(builder.environment);
    // Wrong is wrong, whether or not this process compiles by it.
    var unused = CodeObjectVersions.in(builder.environment);
    FileSystem system = builder.fileSystem;
    Optional<String> named = environment.get("KCACHE_DIR");
    Optional<Path> usual = usual(environment, system);
    Optional<Path> directory = named.map(name -> own(name, system)).or(() -> usual);
    CachePolicy policy =
        environment.get("KCACHE_POLICY").map(CacheSettings::policy).orElse(CachePolicy.AUTO);
    Optional<String> sharing = environment.get("KCACHE_SHARED");
    sharing.ifPresent(CacheSettings::checkSharing);
    boolean shared = sharing.isPresent() || (builder.shared && builder.directory == null);
    if (shared && named.isEmpty()) {
      throw new IllegalArgumentException(
          "KCACHE_SHARED=group needs KCACHE_DIR: set it to the directory that the group shares");
    }
    return new CacheSettings(
        builder.directory != null ? Optional.of(builder.directory) : directory,
        access(builder, shared),
        shared ? usual : directory,
        builder.layers != null ? builder.layers : layers(environment, system),
        builder.policy != null ? builder.policy : policy,
        environment.get("KCACHE_DISABLE").map(CacheSettings::disabled).orElse(false),
        builder.limits.apply(limits(environment)),
        Optional.ofNullable(builder.toolchainName).or(() -> environment.get("KCACHE_TOOLCHAIN")));
  }

  private static Access access(CacheManagerBuilder builder, boolean shared) {
    if (builder.directory != null) {
      return builder.shared ? Access.GROUP : Access.LAYER;
    }
    return shared ? Access.GROUP : Access.PRIVATE;
  }

  private static CacheLimits limits(Environment environment) {
    return new CacheLimits(
        limit(
            environment, "KCACHE_MAX_SIZE", CacheLimits::parseSize, CacheLimits.DEFAULT.maxSize()),
        limit(environment, "KCACHE_MAX_AGE", CacheLimits::parseAge, CacheLimits.DEFAULT.maxAge()));
  }

  private static <T> T limit(
      Environment environment, String name, Function<String, T> parse, T unset) {
    try {
      return environment.get(name).map(parse).orElse(unset);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
  }

  /**
   * Returns where a user's cache is unless another place is named. On Windows it is where a profile
   * has what does not go along to other machines; other shells' variables don't count there.
   */
  private static Optional<Path> usual(Environment environment, FileSystem system) {
    if (isWindows(system)) {
      return absolutePath(environment, "LOCALAPPDATA", system)
          .map(local -> local.resolve("kcache"));
    }
    // The XDG specification says that a relative path here is invalid and to be ignored.
    return absolutePath(environment, "XDG_CACHE_HOME", system)
        .or(() -> absolutePath(environment, "HOME", system).map(home -> home.resolve(".cache")))
        .map(caches -> caches.resolve("kcache"));
  }

  private static boolean isWindows(FileSystem system) {
    return system.getSeparator().equals("\\");
  }

  private static void checkSharing(String value) {
    if (!value.equals("group")) {
      throw new IllegalArgumentException(
          "KCACHE_SHARED='" + value + "' is unknown; use group, or unset it for a private cache");
    }
  }

  private static Path own(String directory, FileSystem system) {
    try {
      return alone("KCACHE_DIR=", system.getPath(directory));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("KCACHE_DIR is not a path: " + e.getReason(), e);
    }
  }

  /**
   * Returns the absolute path of a directory that may be a cache's. The root of the file system
   * never is one: its mode would be changed, and whatever looks like an entry in it could be
   * removed. Nor is what was meant to be in the user's home, and would be in the working directory.
   */
  static Path alone(String origin, Path named) {
    if (named.toString().startsWith("~")) {
      throw new IllegalArgumentException(
          origin
              + named
              + " begins with ~, which no shell expanded; write $HOME instead of ~, or ./~");
    }
    Path directory = named.toAbsolutePath().normalize();
    if (isRoot(directory)) {
      throw new IllegalArgumentException(
          origin
              + directory
              + " is the root of the file system; name a directory for the cache alone");
    }
    return directory;
  }

  /** Returns whether an absolute path is the root, or leads to it by a link or a mount. */
  private static boolean isRoot(Path directory) {
    try {
      return Files.isSameFile(directory, directory.getRoot());
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns where requests are traced, if the builder or the environment names a directory. */
  static @Nullable Path trace(CacheManagerBuilder builder) {
    if (builder.trace != null) {
      return builder.trace;
    }
    try {
      return new Environment(builder.environment)
          .get("KCACHE_TRACE")
          .map(directory -> absolute(directory, builder.fileSystem))
          .orElse(null);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("KCACHE_TRACE is not a path: " + e.getReason(), e);
    }
  }

  private static List<Path> layers(Environment environment, FileSystem system) {
    String value = environment.get("KCACHE_PATH").orElse("");
    return Arrays.stream(value.split(isWindows(system) ? ";" : ":"))
        .filter(layer -> !layer.isEmpty())
        .flatMap(layer -> layer(layer, system).stream())
        .toList();
  }

  /** A layer that is missing is passed over, and so is one that can only be missing. */
  private static Optional<Path> layer(String directory, FileSystem system) {
    try {
      return Optional.of(absolute(directory, system));
    } catch (InvalidPathException e) {
      Notices.warn(
          System.getLogger(CacheSettings.class.getName()),
          "KCACHE_PATH holds something that is not a path: " + e.getReason());
      return Optional.empty();
    }
  }

  private static Path absolute(String directory, FileSystem system) {
    return system.getPath(directory).toAbsolutePath().normalize();
  }

  /** Returns the absolute path that a variable holds; nothing if it is unset or holds none. */
  static Optional<Path> absolutePath(Environment environment, String name, FileSystem system) {
    try {
      return environment.get(name).map(path -> system.getPath(path)).filter(Path::isAbsolute);
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
}
