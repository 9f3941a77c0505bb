// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.rocm.Environment;
import java.io.File;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which keys a manager has: the builder's, else the environment's. */
final class SignatureSettings {
  private SignatureSettings() {}

  /** Reads the keys; a file that cannot be used costs one warning. */
  static SignaturePolicy of(CacheManagerBuilder builder) {
    Environment environment = new Environment(builder.environment);
    @Nullable Path named =
        environment.get("KCACHE_SIGN_KEY").map(file -> path("KCACHE_SIGN_KEY", file)).orElse(null);
    List<Path> trusted =
        environment
            .get("KCACHE_TRUSTED_KEYS")
            .map(files -> paths("KCACHE_TRUSTED_KEYS", files))
            .orElse(List.of());
    return SignaturePolicy.of(
        builder.signKey != null ? builder.signKey : named,
        builder.trustedKeys != null ? builder.trustedKeys : trusted);
  }

  private static List<Path> paths(String variable, String value) {
    List<Path> files =
        Arrays.stream(value.split(Pattern.quote(File.pathSeparator)))
            .filter(file -> !file.isEmpty())
            .map(file -> path(variable, file))
            .toList();
    if (files.isEmpty()) {
      throw new IllegalArgumentException(variable + " names no file; unset it to trust everybody");
    }
    return files;
  }

  private static Path path(String variable, String value) {
    try {
      return Path.of(value).toAbsolutePath().normalize();
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(variable + " is not a path: " + e.getReason(), e);
    }
  }
}
