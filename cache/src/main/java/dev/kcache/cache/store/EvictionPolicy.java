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
 * Decides what goes from a cache directory: what nobody has used for too long, and of the rest, if
 * that takes more than it may, what was used least recently, until a tenth of the limit is free.
 * Without that tenth the next write would exceed the limit again.
 *
 * @param maxSize how many bytes of the disk the directory may take; empty for no limit
 * @param maxAge how long an entry may go unused; empty for no limit
 */
public record EvictionPolicy(OptionalLong maxSize, Optional<Duration> maxAge) {
  /** How much of the limit stays in use, in tenths. */
  private static final long LOW_WATER = 9;

  /**
   * Something that stays or goes as a whole.
   *
   * @param <T> what it is to the caller
   * @param what it is
   * @param bytes that it takes alone
   * @param lastUse when it was used last
   * @param shared what it needs and others may need, too
   */
  record Item<T>(T what, long bytes, Instant lastUse, List<Shared> shared) {
    Item {
      shared = List.copyOf(shared);
    }
  }

  /** What goes with the last item that needs it; two are never the same. */
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
   * @param rest how many other bytes there are, which stay
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

  /** Returns what some items and what they need take. */
  static <T> long bytes(List<Item<T>> items) {
    Account account = new Account(0);
    items.forEach(account::add);
    return account.bytes;
  }

  /** Returns whether nothing is to go, whatever the items are. */
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

  /** How much there is while items go one after another. */
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
