// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;

import dev.kcache.cache.CacheMaintenance;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cli.EntryGroup.Kind;
import dev.kcache.cli.EntryPairs.Pair;
import dev.kcache.codeobject.CodeObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What became of the kernels of one group of entries in another.
 *
 * @param before the group that is compared
 * @param after the group that it is compared with
 * @param entries the entries of both
 * @param compared the pairs whose code objects could be read
 */
record EntryDiff(EntryGroup before, EntryGroup after, EntryPairs entries, List<Compared> compared) {

  /** The kernels of a pair, the same ones too. */
  record Compared(Pair pair, List<KernelChange> kernels) {
    CacheEntry entry() {
      return pair.before().entry();
    }

    private void writeTo(Json json) {
      json.put("source", entry().source())
          .put("options", entry().options())
          .object("before", each -> write(pair.before().entry(), each))
          .object("after", each -> write(pair.after().entry(), each))
          .objects(
              "kernels",
              kernels.stream().filter(KernelChange::differs).toList(),
              KernelChange::writeTo);
    }

    private static void write(CacheEntry entry, Json json) {
      json.put("codeObject", entry.codeObject())
          .put("target", entry.target())
          .put("label", entry.label())
          .put("size", entry.size());
    }
  }

  /**
   * Compares two groups of the entries in a cache.
   *
   * @throws IllegalArgumentException if the cache has no entry of one
   */
  static EntryDiff of(CacheManager cache, EntryGroup before, EntryGroup after) {
    List<LocatedEntry> all = LocatedEntry.of(cache).toList();
    EntryPairs entries =
        EntryPairs.of(of(before, all, after), of(after, all, before), before.kind() == Kind.LABEL);
    List<Compared> compared = new ArrayList<>();
    CacheMaintenance maintenance = cache.maintenance();
    for (Pair pair : entries.pairs()) {
      Optional<CodeObject> old = maintenance.codeObject(pair.before().entry());
      Optional<CodeObject> now = maintenance.codeObject(pair.after().entry());
      if (old.isPresent() && now.isPresent()) {
        compared.add(new Compared(pair, KernelChange.between(old.get(), now.get())));
      }
    }
    return new EntryDiff(before, after, entries, compared);
  }

  private static List<LocatedEntry> of(
      EntryGroup group, Collection<LocatedEntry> all, EntryGroup other) {
    List<LocatedEntry> entries = group.of(all);
    if (entries.isEmpty()) {
      throw new IllegalArgumentException(group.absence(all, other));
    }
    return entries;
  }

  /** Returns how many pairs could not be compared. */
  int leftOut() {
    return entries.pairs().size() - compared.size();
  }

  void writeTo(Json json) {
    json.object("before", each -> write(before, entries.onlyBefore(), each))
        .object("after", each -> write(after, entries.onlyAfter(), each))
        .objects("pairs", compared, Compared::writeTo);
  }

  private void write(EntryGroup group, List<LocatedEntry> unpaired, Json json) {
    json.put("name", group.name())
        .put("entries", entries.pairs().size() + unpaired.size())
        .put("unpaired", unpaired.size());
  }

  /**
   * Prints a line for each kernel that needs more than before. Where a line has to fit, quantities
   * that are the same for each kernel are left out, except the occupancy.
   *
   * @param columns the width to fit; 0 if there is none
   */
  void print(PrintStream out, int columns) {
    List<List<String>> groups =
        List.of(
            cells("before", before, compared.stream().map(each -> each.pair().before())),
            cells("after", after, compared.stream().map(each -> each.pair().after())));
    Text.fit(groups, 0, columns).forEach(out::println);
    out.println();
    List<List<String>> grown = grown();
    if (grown.isEmpty()) {
      out.println("no kernel of both grew, spills more or lost occupancy");
    } else {
      List<String> heading = withTarget(KernelChange.heading(), "target");
      List<List<String>> table = Text.titled(heading, grown);
      Text.fit(columns == 0 ? table : changed(table), 0, columns).forEach(out::println);
    }
    String unpaired = unpaired();
    if (!unpaired.isEmpty()) {
      out.println("without a counterpart: " + unpaired);
    }
  }

  private static List<String> cells(String side, EntryGroup group, Stream<LocatedEntry> paired) {
    List<CacheEntry> compared = paired.map(LocatedEntry::entry).toList();
    List<String> cells =
        new ArrayList<>(List.of(side, group.name(), Text.entries(compared.size()) + " compared"));
    if (group.kind() != Kind.DIRECTORY) {
      Kind other = group.kind() == Kind.TARGET ? Kind.LABEL : Kind.TARGET;
      cells.add(compared.stream().map(other::nameOf).distinct().sorted().collect(joining(", ")));
    }
    return cells;
  }

  private List<List<String>> grown() {
    Map<String, Set<List<String>>> options = new HashMap<>();
    for (Compared each : compared) {
      options
          .computeIfAbsent(each.entry().source(), source -> new HashSet<>())
          .add(each.entry().options());
    }
    List<List<String>> rows = new ArrayList<>();
    for (Compared each : compared) {
      CacheEntry entry = each.entry();
      List<String> source = new ArrayList<>(List.of(entry.source()));
      Set<List<String>> all = options.getOrDefault(entry.source(), Set.of());
      entry.options().stream()
          .filter(option -> all.stream().anyMatch(others -> !others.contains(option)))
          .forEach(source::add);
      for (KernelChange kernel : each.kernels()) {
        if (kernel.grew() || kernel.lostOccupancy()) {
          List<String> cells = new ArrayList<>(kernel.cells());
          cells.set(0, Text.oneLine(String.join(" ", source)) + ": " + cells.get(0));
          rows.add(withTarget(cells, entry.target().toString()));
        }
      }
    }
    return rows;
  }

  /** Adds the target as a column where it differs between the rows. */
  private List<String> withTarget(List<String> cells, String target) {
    List<String> row = new ArrayList<>(cells);
    if (before.kind() == Kind.LABEL) {
      row.add(1, target);
    }
    return row;
  }

  private List<List<String>> changed(List<List<String>> table) {
    int first = before.kind() == Kind.LABEL ? 2 : 1;
    int last = table.get(0).size() - 1;
    int[] kept =
        IntStream.rangeClosed(0, last)
            .filter(
                column ->
                    column < first
                        || column == last
                        || table.stream()
                            .anyMatch(row -> row.get(column).contains(KernelChange.ARROW)))
            .toArray();
    return table.stream().map(row -> IntStream.of(kept).mapToObj(row::get).toList()).toList();
  }

  private String unpaired() {
    return Stream.concat(
            unpaired(before, entries.onlyBefore(), each -> each.after() == null),
            unpaired(after, entries.onlyAfter(), each -> each.before() == null))
        .collect(joining(", "));
  }

  private Stream<String> unpaired(
      EntryGroup group, List<LocatedEntry> alone, Predicate<KernelChange> isAlone) {
    long kernels =
        compared.stream().flatMap(each -> each.kernels().stream()).filter(isAlone).count();
    return Stream.of(
            alone.isEmpty() ? "" : Text.entries(alone.size()),
            kernels == 0 ? "" : Text.count(kernels, "kernel"))
        .filter(count -> !count.isEmpty())
        .map(count -> count + " of " + group.name());
  }
}
