// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.store.EvictionPolicy.Item;
import dev.kcache.cache.store.EvictionPolicy.Shared;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EvictionPolicyTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
  private static final Duration WEEK = Duration.ofDays(7);

  @Test
  void select_aboveTheLimit_takesTheLeastRecentlyUsedDownToNineTenths() {
    List<Item<String>> items =
        List.of(item("b", 30, 2), item("d", 30, 0), item("c", 30, 1), item("a", 11, 3));

    List<Item<String>> selection = size(100).select(items, 0, NOW);

    assertThat(names(selection)).containsExactly("a");
    assertThat(names(size(99).select(items, 0, NOW))).containsExactly("a", "b");
  }

  @Test
  void select_unusedForLongerThanTheAge_goWhateverTheSize() {
    List<Item<String>> items =
        List.of(item("a", 1, 8 * 24), item("b", 1, 7 * 24), item("c", 1, 8 * 24 + 1));
    EvictionPolicy policy = new EvictionPolicy(OptionalLong.empty(), Optional.of(WEEK));

    assertThat(names(policy.select(items, 9, NOW))).containsExactly("c", "a");
  }

  @Test
  void select_oldOnesMakeRoomEnough_takesNoMore() {
    List<Item<String>> items = List.of(item("old", 10, 8 * 24), item("a", 50, 2), item("b", 45, 1));
    EvictionPolicy policy = new EvictionPolicy(OptionalLong.of(100), Optional.of(WEEK));

    assertThat(names(policy.select(items, 0, NOW))).containsExactly("old");
  }

  @Test
  void select_sharedContent_goesWithTheLastThatNeedsIt() {
    Shared shared = new Shared(80);
    List<Item<String>> items =
        List.of(
            item("a", 1, 5, shared), item("b", 1, 3, shared), item("c", 10, 4), item("d", 9, 1));

    List<Item<String>> selection = size(100).select(items, 0, NOW);

    assertThat(names(selection)).containsExactly("a", "c");
    assertThat(names(size(50).select(items, 0, NOW))).containsExactly("a", "c", "b");
  }

  @Test
  void select_usedInTheFuture_countsAsNow() {
    List<Item<String>> items = List.of(item("future", 60, -1000), item("now", 60, 0));
    assertThat(names(size(100).select(items, 0, NOW))).containsExactly("future");
    assertThat(names(size(100).select(List.of(items.get(1), items.get(0)), 0, NOW)))
        .containsExactly("now");
  }

  @Test
  void select_noLimits_takesNothing() {
    EvictionPolicy policy = new EvictionPolicy(OptionalLong.empty(), Optional.empty());
    List<Item<String>> items = List.of(item("a", Long.MAX_VALUE / 2, 1_000_000));
    assertThat(names(policy.select(items, 0, NOW))).isEmpty();
  }

  @Test
  void select_anyItems_takesAPrefixOfTheLeastRecentlyUsedThatIsJustLongEnough() {
    Random random = new Random(7);
    for (int round = 0; round < 500; round++) {
      List<Item<String>> items = randomItems(random);
      long limit = random.nextLong(1, 2000);
      long rest = random.nextLong(200);

      List<Item<String>> selection = size(limit).select(items, rest, NOW);

      Set<String> gone = new HashSet<>(names(selection));
      List<Item<String>> kept = items.stream().filter(i -> !gone.contains(i.what())).toList();
      long before = rest + size(items);
      long after = rest + size(kept);
      assertThat(after <= limit / 10 * 9 || kept.isEmpty() || gone.isEmpty()).isTrue();
      assertThat(gone.isEmpty()).isEqualTo(before <= limit || items.isEmpty());
      Optional<Instant> newestGone =
          selection.stream().map(Item::lastUse).max(Comparator.naturalOrder());
      if (newestGone.isPresent()) {
        assertThat(kept).noneMatch(item -> item.lastUse().isBefore(newestGone.get()));
        List<Item<String>> oneMore = new ArrayList<>(kept);
        oneMore.add(selection.get(gone.size() - 1));
        assertThat(rest + size(oneMore)).isGreaterThan(limit / 10 * 9);
      }
    }
  }

  @Test
  void permits_isTrueOnlyIfNothingWouldGo() {
    EvictionPolicy policy = new EvictionPolicy(OptionalLong.of(100), Optional.of(WEEK));
    assertThat(policy.permits(100, NOW.minus(WEEK), NOW)).isTrue();
    assertThat(policy.permits(101, NOW, NOW)).isFalse();
    assertThat(policy.permits(0, NOW.minus(WEEK).minusNanos(1), NOW)).isFalse();
    assertThat(policy.permits(0, Instant.MAX, NOW)).isTrue();
  }

  private static List<Item<String>> randomItems(Random random) {
    List<Shared> shared = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      shared.add(new Shared(random.nextInt(300)));
    }
    List<Item<String>> items = new ArrayList<>();
    int count = random.nextInt(20);
    for (int i = 0; i < count; i++) {
      List<Shared> needs = shared.subList(0, random.nextInt(shared.size()));
      items.add(
          item("i" + i, random.nextInt(200), random.nextInt(50), needs.toArray(Shared[]::new)));
    }
    return items;
  }

  /** Counts what several need once. */
  private static long size(List<Item<String>> items) {
    Set<Shared> shared = new HashSet<>();
    long bytes = 0;
    for (Item<String> item : items) {
      bytes += item.bytes();
      shared.addAll(item.shared());
    }
    return bytes + shared.stream().mapToLong(Shared::bytes).sum();
  }

  private static EvictionPolicy size(long bytes) {
    return new EvictionPolicy(OptionalLong.of(bytes), Optional.empty());
  }

  private static Item<String> item(String name, long bytes, int hoursAgo, Shared... shared) {
    return new Item<>(name, bytes, NOW.minus(Duration.ofHours(hoursAgo)), List.of(shared));
  }

  private static List<String> names(List<Item<String>> selection) {
    return selection.stream().map(Item::what).toList();
  }
}
