// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The options that every verb has. */
final class CommonOptions {
  static final String JSON = "--json";
  static final String STACK_TRACE = "--stacktrace";

  private final Argument<Path> cacheDirectory =
      Argument.option(
          "--cache-dir",
          "DIR",
          Converters::path,
          "The cache directory to use, and no other: a layer, which others may read by naming it"
              + " in",
          "KCACHE_PATH. Default: $KCACHE_DIR, $XDG_CACHE_HOME/kcache or ~/.cache/kcache, below"
              + " which",
          "the layers in $KCACHE_PATH are read.");

  private final Argument<Boolean> json =
      Argument.flag(JSON, "Print one JSON document on standard output.");

  private final Argument<Boolean> stackTrace =
      Argument.flag(STACK_TRACE, "Print stack traces of failures.");

  /** Returns them in the order in which the help lists them. */
  List<Argument<?>> arguments() {
    return List.of(cacheDirectory, json, stackTrace);
  }

  /** Returns whether a cache directory is named. */
  boolean namesDirectory() {
    return cacheDirectory.isGiven();
  }

  /** Returns whether one JSON document is wanted on standard output. */
  boolean json() {
    return json.value();
  }

  /** Returns whether stack traces of failures are wanted. */
  boolean stackTrace() {
    return stackTrace.value();
  }

  /**
   * Returns a builder of the cache that the options and the environment ask for. A directory that
   * is named stands alone: it is to be complete, and may be copied to where no other layer is. The
   * cache holds nothing in memory: most verbs ask for each kernel once, if for any.
   */
  CacheManagerBuilder cache(CliContext context) {
    return cacheWithMemory(context).memoryLimit(0);
  }

  /** As {@link #cache}, for a verb that asks for a kernel more than once. */
  CacheManagerBuilder cacheWithMemory(CliContext context) {
    CacheManagerBuilder builder = context.cache();
    if (!namesDirectory()) {
      return builder;
    }
    if (cacheDirectory.value().toString().isEmpty()) {
      throw new IllegalArgumentException("--cache-dir is empty; name a directory");
    }
    return builder.directory(cacheDirectory.value()).layers(List.of());
  }

  /** Returns why there is no cache directory, if there is none; a link to nothing is there. */
  static Optional<String> absence(CacheManager cache) {
    Optional<Path> directory = cache.maintenance().directory();
    return directory.isEmpty()
        ? Optional.of("there is no cache directory")
        : directory
            .filter(root -> Files.notExists(root, LinkOption.NOFOLLOW_LINKS))
            .map(CommonOptions::doesNotExist);
  }

  /** Ends the command if the cache directory has a fault that leaves it nothing to do. */
  static void requireNone(Optional<String> fault) {
    if (fault.isPresent()) {
      throw new UncheckedIOException(fault.get(), new IOException(fault.get()));
    }
  }

  /** Returns that a directory is missing. */
  static String doesNotExist(Path directory) {
    return "'" + Text.oneLine(directory.toString()) + "' does not exist";
  }
}
