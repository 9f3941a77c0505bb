// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.Toolchains;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the toolchain's files that records depend on still have their content. Many records
 * name one list, which is read once. An answer is at most two seconds old.
 *
 * <p>Safe for use by any number of threads.
 */
final class DependencyChecks {
  /** Far more than one toolchain's records name; each may hold hundreds of files. */
  private static final int MOST_LISTS = 256;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Toolchains toolchains;
  private final Directories directories;
  private final LongSupplier nanoTime;
  private final ConcurrentHashMap<Digest, Known> lists = new ConcurrentHashMap<>();

  /** A list that a record named, or null while the toolchain vouches for it unread. */
  private record Known(@Nullable DependencyList list, long checkedAt) {}

  DependencyChecks(Toolchains toolchains, Directories directories, LongSupplier nanoTime) {
    this.toolchains = toolchains;
    this.directories = directories;
    this.nanoTime = nanoTime;
  }

  /**
   * Returns whether a record's dependencies are known and unchanged. Where the toolchain vouches
   * for a list, it is not read.
   *
   * @param toolchain the one that made the record
   */
  boolean areCurrent(CacheEntry entry, Toolchain toolchain) {
    return areCurrent(entry, toolchain, () -> directories.dependencies(entry));
  }

  /**
   * As {@link #areCurrent(CacheEntry, Toolchain)}, of a record that may be in no directory.
   *
   * @param dependencies gives the list that it names
   */
  boolean areCurrent(
      CacheEntry entry, Toolchain toolchain, Supplier<Optional<DependencyList>> dependencies) {
    Digest digest = entry.dependencies();
    Known known = lists.get(digest);
    if (known != null && known.list() != null) {
      return toolchain.hasUnchanged(known.list().files());
    }
    long now = nanoTime.getAsLong();
    if (known != null && now - known.checkedAt() < INTERVAL_NANOS) {
      return true;
    }
    if (toolchain.isStillUnchanged(digest)) {
      put(digest, new Known(null, now));
      return true;
    }
    Optional<DependencyList> list = dependencies.get();
    if (list.isEmpty()) {
      return false;
    }
    put(digest, new Known(list.get(), now));
    boolean unchanged = toolchain.hasUnchanged(list.get().files());
    if (unchanged) {
      toolchain.rememberUnchanged(digest, list.get().files());
    }
    return unchanged;
  }

  /**
   * Returns whether the compiler that is present has made an entry, in another version or with
   * other files, and would not serve it under {@link CachePolicy#AUTO}. An entry of another kind of
   * compiler, such as one of hipcc's where the embedded LLVM is in use, is not stale: that compiler
   * is not asked.
   *
   * @throws ToolchainNotFoundException if there is no compiler for its target to tell
   * @throws CompilationException if the compiler does not tell: that may be the fault of a moment
   */
  boolean isStale(CacheEntry entry) {
    Toolchain present =
        toolchains.of(entry.target().processor().platform(), Language.of(entry.language()));
    return present.label().isOfSameCompiler(entry.label())
        && (!present.label().equals(entry.label())
            || !isOf(present, entry)
            || !areCurrent(entry, present));
  }

  private static boolean isOf(Toolchain present, CacheEntry entry) {
    try {
      CompileOptions options = CompileOptions.of(entry.options());
      return present.identity(entry.target(), options.arguments()).equals(entry.toolchain());
    } catch (IllegalArgumentException e) {
      // Such options are not taken any more, so nobody can ask for the entry.
      return false;
    }
  }

  private void put(Digest list, Known known) {
    if (lists.size() >= MOST_LISTS) {
      lists.clear();
    }
    lists.put(list, known);
  }
}
