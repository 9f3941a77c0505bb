// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.TargetId;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Which entries to remove: those that meet all of these. Begin with {@link #EVERYTHING}.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class ClearCriteria {
  /** Everything. */
  public static final ClearCriteria EVERYTHING =
      new ClearCriteria(Set.of(), Optional.empty(), false);

  private final Set<TargetId> targets;
  private final Optional<Duration> unusedFor;
  private final boolean stale;

  private ClearCriteria(Set<TargetId> targets, Optional<Duration> unusedFor, boolean stale) {
    this.targets = targets;
    this.unusedFor = unusedFor;
    this.stale = stale;
  }

  /** {@return the targets, of which an entry is for one; empty for any} */
  public Set<TargetId> targets() {
    return targets;
  }

  /** {@return the time for longer than which nobody has used an entry; empty for any} */
  public Optional<Duration> unusedFor() {
    return unusedFor;
  }

  /** {@return whether only stale entries are meant; see {@link #withStaleOnly}} */
  public boolean stale() {
    return stale;
  }

  /**
   * {@return these criteria for entries of some targets only}
   *
   * @param targets is copied; empty for entries of any target
   */
  public ClearCriteria withTargets(Set<TargetId> targets) {
    return new ClearCriteria(Set.copyOf(requireNonNull(targets, "targets")), unusedFor, stale);
  }

  /**
   * {@return these criteria for entries only that nobody has used for a while}
   *
   * @param time for longer than which nobody has used an entry
   * @throws IllegalArgumentException if it is negative
   */
  public ClearCriteria withUnusedFor(Duration time) {
    Objects.requireNonNull(time, "time");
    if (time.isNegative()) {
      throw new IllegalArgumentException("time must not be negative: " + time);
    }
    return new ClearCriteria(targets, Optional.of(time), stale);
  }

  /**
   * {@return these criteria for stale entries only: those that the compilers of this machine would
   * not serve any more, of another version, of another compiler of the same version, or made with
   * headers that have changed since}
   */
  public ClearCriteria withStaleOnly() {
    return new ClearCriteria(targets, unusedFor, true);
  }

  boolean match(CacheEntry entry, Duration unused) {
    return (targets.isEmpty() || targets.contains(entry.target()))
        && (unusedFor.isEmpty() || unused.compareTo(unusedFor.get()) > 0);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClearCriteria that
        && targets.equals(that.targets)
        && unusedFor.equals(that.unusedFor)
        && stale == that.stale;
  }

  @Override
  public int hashCode() {
    return Objects.hash(targets, unusedFor, stale);
  }

  @Override
  public String toString() {
    return "ClearCriteria[targets="
        + targets
        + ", unusedFor="
        + unusedFor
        + ", stale="
        + stale
        + "]";
  }
}
