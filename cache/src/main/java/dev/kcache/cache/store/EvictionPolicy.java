// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides which entries go: those unused for longer than {@code maxAge}; then, if the rest exceeds
 * {@code maxSize}, the least recently used until a tenth of the limit is free. Without that tenth
 * the next write would exceed the limit again.
 *
 * @param maxSize disk usage of the directory in bytes; empty for no limit
 * @param maxAge time for which an entry may go unused; empty for no limit
 */
public record EvictionPolicy(OptionalLong maxSize, Optional<Duration> maxAge) {
  /** How much of the limit stays in use, in tenths. */
  private static final long LOW_WATER = 9;

  /**
   * Something that stays or goes as a whole.
   *
   * @param <T> its type to the caller
   * @param what it is
   * @param bytes disk usage without {@code shared}
   * @param lastUse time of the last use
   * @param shared parts that other items may need, too
   */
  record Item<T>(T what, long bytes, Instant lastUse, List<Shared> shared) {
    Item {
      shared = List.copyOf(shared);
    }
  }

  /** A part that goes with the last item that needs it; compared by identity. */
  static final class Shared {
    private final long bytes;

    Shared(long bytes) {
      this.bytes = bytes;
    }

    long bytes() {
      return bytes;
    }
  }

  /**
   * Returns the items that go, ordered by last use. A last use in the future counts as now.
   *
   * @param rest bytes that stay in any case
   */
  <T> List<Item<T>> select(List<Item<T>> items, long rest, Instant now) {
    Account account = new Account(rest);
    items.forEach(account::add);
    List<Item<T>> oldest = new ArrayList<>(items);
    oldest.sort(Comparator.comparing(item -> lastUse(item, now)));
    int gone = 0;
    while (gone < oldest.size() && isTooOld(oldest.get(gone), now)) {
      account.remove(oldest.get(gone++));
    }
    if (maxSize.isPresent() && account.bytes > maxSize.getAsLong()) {
      long lowWater = maxSize.getAsLong() / 10 * LOW_WATER;
      while (gone < oldest.size() && account.bytes > lowWater) {
        account.remove(oldest.get(gone++));
      }
    }
    return List.copyOf(oldest.subList(0, gone));
  }

  /** Returns whether no item ever goes. */
  boolean permits(long bytes, Instant oldestUse, Instant now) {
    return (maxSize.isEmpty() || bytes <= maxSize.getAsLong()) && !isTooOld(oldestUse, now);
  }

  private <T> boolean isTooOld(Item<T> item, Instant now) {
    return isTooOld(item.lastUse(), now);
  }

  private boolean isTooOld(Instant lastUse, Instant now) {
    return maxAge.isPresent() && lastUse.isBefore(now.minus(maxAge.get()));
  }

  private static <T> Instant lastUse(Item<T> item, Instant now) {
    return item.lastUse().isAfter(now) ? now : item.lastUse();
  }

  /** The bytes that remain while items go one after another. */
  private static final class Account {
    private final Map<Shared, Integer> users = new HashMap<>();
    private long bytes;

    Account(long bytes) {
      this.bytes = bytes;
    }

    void add(Item<?> item) {
      bytes += item.bytes();
      for (Shared shared : item.shared()) {
        if (users.merge(shared, 1, Integer::sum) == 1) {
          bytes += shared.bytes();
        }
      }
    }

    void remove(Item<?> item) {
      bytes -= item.bytes();
      for (Shared shared : item.shared()) {
        if (users.merge(shared, -1, Integer::sum) == 0) {
          bytes -= shared.bytes();
        }
      }
    }
  }
}
