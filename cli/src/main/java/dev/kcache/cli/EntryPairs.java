// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.TargetId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The entries of two groups that were compiled from the same source in the same way.
 *
 * @param pairs those that have a counterpart, in the order of their sources, options and targets
 * @param onlyBefore those of the first group that have none
 * @param onlyAfter those of the second group that have none
 */
record EntryPairs(List<Pair> pairs, List<LocatedEntry> onlyBefore, List<LocatedEntry> onlyAfter) {

  /** An entry and its counterpart. */
  record Pair(LocatedEntry before, LocatedEntry after) {}

  /** What two entries have in common to be counterparts; the content of the source may differ. */
  private record Key(
      String source,
      String language,
      List<String> options,
      Set<String> instances,
      Optional<TargetId> target) {
    static Key of(CacheEntry entry, boolean withTarget) {
      return new Key(
          entry.source(),
          entry.language(),
          entry.options(),
          entry.instances().keySet(),
          withTarget ? Optional.of(entry.target()) : Optional.empty());
    }
  }

  /**
   * Pairs the entries of two groups. Of several alike in one group the newest counts.
   *
   * @param sameTarget whether only entries for the same target are counterparts
   */
  static EntryPairs of(
      Collection<LocatedEntry> before, Collection<LocatedEntry> after, boolean sameTarget) {
    List<Pair> pairs = new ArrayList<>();
    List<LocatedEntry> onlyBefore = new ArrayList<>();
    Map<Key, LocatedEntry> others = new HashMap<>(newest(after, sameTarget));
    newest(before, sameTarget)
        .forEach(
            (key, entry) -> {
              LocatedEntry other = others.remove(key);
              if (other == null) {
                onlyBefore.add(entry);
              } else {
                pairs.add(new Pair(entry, other));
              }
            });
    pairs.sort(
        Comparator.comparing((Pair pair) -> pair.before().entry().source())
            .thenComparing(pair -> String.join(" ", pair.before().entry().options()))
            .thenComparing(pair -> pair.before().entry().target().toString()));
    return new EntryPairs(pairs, onlyBefore, List.copyOf(others.values()));
  }

  private static Map<Key, LocatedEntry> newest(
      Collection<LocatedEntry> entries, boolean withTarget) {
    Map<Key, LocatedEntry> newest = new LinkedHashMap<>();
    for (LocatedEntry each : entries) {
      newest.merge(
          Key.of(each.entry(), withTarget),
          each,
          (one, other) -> other.entry().created().isAfter(one.entry().created()) ? other : one);
    }
    return newest;
  }
}
