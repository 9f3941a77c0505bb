// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.toolchain.DriverToolchain;
import dev.kcache.cache.toolchain.RequestedLabel;
import dev.kcache.codeobject.Platform;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The compiler of each platform: the builder's for all, else what the environment leads to, looked
 * for when a request first needs it.
 *
 * <p>Safe for use by any number of threads. Closing it ends the compilers that were found here.
 */
final class Toolchains implements AutoCloseable {
  private final @Nullable Toolchain given;
  private final Map<Platform, Lazy<DriverToolchain>> found = new EnumMap<>(Platform.class);
  private final Map<Platform, Lazy<Optional<RequestedLabel>>> requested =
      new EnumMap<>(Platform.class);

  /**
   * Finds nothing yet.
   *
   * @param given compiles for every platform, unless it is null
   * @param batch whether many compiles with the same options are to come
   * @throws IllegalArgumentException if a variable for ROCm's version holds none; one for CUDA's is
   *     looked at when it is needed, since others set it too
   */
  Toolchains(
      @Nullable Toolchain given,
      Map<String, String> environment,
      Supplier<Path> stagingParent,
      Supplier<Optional<Path>> memoDirectory,
      boolean batch) {
    this.given = given;
    for (Platform platform : Platform.values()) {
      requested.put(platform, new Lazy<>(() -> RequestedLabel.in(environment, platform)));
      found.put(
          platform,
          new Lazy<>(
              () ->
                  DriverToolchain.find(
                      platform, environment, stagingParent, memoDirectory.get(), batch)));
    }
    requested(Platform.AMD);
  }

  /**
   * Returns the compiler for a platform.
   *
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment names something else
   */
  Toolchain of(Platform platform) {
    return given != null ? given : of(found, platform).get();
  }

  /**
   * Returns the label that a variable sets for a platform, if one does.
   *
   * @throws IllegalArgumentException if it holds no version
   */
  Optional<RequestedLabel> requested(Platform platform) {
    return of(requested, platform).get();
  }

  @Override
  public void close() {
    found.values().forEach(lazy -> lazy.ifMade().ifPresent(DriverToolchain::close));
  }

  private static <T> T of(Map<Platform, T> values, Platform platform) {
    T value = values.get(platform);
    if (value == null) {
      throw new AssertionError("every platform has one: " + platform);
    }
    return value;
  }
}
