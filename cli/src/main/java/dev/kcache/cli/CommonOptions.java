// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManagerBuilder;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that every verb has. */
final class CommonOptions {
  @Option(
      names = "--cache-dir",
      paramLabel = "DIR",
      description = {
        "The cache directory to use, and no other: a layer, which others may read by naming it in",
        "KCACHE_PATH. Default: $KCACHE_DIR, $XDG_CACHE_HOME/kcache or ~/.cache/kcache, below which",
        "the layers in $KCACHE_PATH are read."
      })
  private @Nullable Path cacheDirectory;

  @Option(names = "--json", description = "Print one JSON document on standard output.")
  boolean json;

  @Option(names = STACK_TRACE, description = "Print stack traces of failures.")
  boolean stackTrace;

  static final String STACK_TRACE = "--stacktrace";

  /** Returns whether a cache directory is named. */
  boolean namesDirectory() {
    return cacheDirectory != null;
  }

  /**
   * Returns a builder of the cache that the options and the environment ask for. A directory that
   * is named stands alone: it is to be complete, and may be copied to where no other layer is.
   */
  CacheManagerBuilder cache(CliContext context) {
    CacheManagerBuilder builder = context.cache();
    if (cacheDirectory != null && cacheDirectory.toString().isEmpty()) {
      throw new IllegalArgumentException("--cache-dir is empty; name a directory");
    }
    return cacheDirectory == null ? builder : builder.directory(cacheDirectory).layers(List.of());
  }
}
