// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.TargetId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Which entries to remove: those that meet all of these.
 *
 * @param targets entries for one of these targets; for any if there are none
 * @param unusedFor entries that nobody has used for longer than this
 * @param stale entries that the compilers of this machine would not serve any more: of another
 *     version, of another compiler of the same version, or made with headers that have changed
 *     since
 */
public record ClearCriteria(Set<TargetId> targets, Optional<Duration> unusedFor, boolean stale) {
  /** Everything. */
  public static final ClearCriteria EVERYTHING =
      new ClearCriteria(Set.of(), Optional.empty(), false);

  /**
   * Copies the set.
   *
   * @throws IllegalArgumentException if the time is negative
   */
  public ClearCriteria {
    targets = Set.copyOf(targets);
    if (unusedFor.isPresent() && unusedFor.get().isNegative()) {
      throw new IllegalArgumentException("time must not be negative: " + unusedFor.get());
    }
  }

  boolean match(CacheEntry entry, Duration unused) {
    return (targets.isEmpty() || targets.contains(entry.target()))
        && (unusedFor.isEmpty() || unused.compareTo(unusedFor.get()) > 0);
  }
}
