// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.DependencyList;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.driver.Toolchains;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether the toolchain's files that records depend on still have the content that they had. Many
 * records name one list: it is read once, and its files are looked at once an interval.
 *
 * <p>Safe for use by any number of threads.
 */
final class DependencyChecks implements Predicate<CacheEntry> {
  /** Far more than one toolchain's records name; each may hold hundreds of files. */
  private static final int MOST_LISTS = 256;

  private final Toolchains toolchains;
  private final Directories directories;
  private final CheckInterval interval;
  private final ConcurrentHashMap<Digest, Known> lists = new ConcurrentHashMap<>();

  /**
   * A list that was met.
   *
   * @param list the list, unless nobody had to read it
   * @param unchangedIn the number of the interval in which it was found unchanged; null before
   */
  private record Known(@Nullable DependencyList list, @Nullable Integer unchangedIn) {}

  DependencyChecks(Toolchains toolchains, Directories directories, CheckInterval interval) {
    this.toolchains = toolchains;
    this.directories = directories;
    this.interval = interval;
  }

  /**
   * Returns whether a record's dependencies are unchanged; not if nothing says what they are. Where
   * the toolchain knows it by itself, the list is not even read.
   */
  @Override
  public boolean test(CacheEntry entry) {
    Digest digest = entry.dependencies();
    Integer now = interval.begin();
    Known known = lists.get(digest);
    if (known != null && now.equals(known.unchangedIn())) {
      return true;
    }
    DependencyList list = known == null ? null : known.list();
    Toolchain toolchain = toolchains.of(entry.target().processor().platform());
    if (list == null) {
      if (toolchain.isStillUnchanged(digest)) {
        put(digest, new Known(null, now));
        return true;
      }
      list = directories.dependencies(entry).orElse(null);
    }
    if (list == null) {
      return false;
    }
    boolean unchanged = toolchain.hasUnchanged(list.files());
    if (unchanged && known == null) {
      toolchain.rememberUnchanged(digest, list.files());
    }
    put(digest, new Known(list, unchanged ? now : null));
    return unchanged;
  }

  /** Remembers the list of a compile: it may be that no directory can keep it. */
  void remember(DependencyList list) {
    if (!lists.containsKey(list.digest())) {
      put(list.digest(), new Known(list, null));
    }
  }

  private void put(Digest list, Known known) {
    if (lists.size() >= MOST_LISTS) {
      lists.clear();
    }
    lists.put(list, known);
  }
}
