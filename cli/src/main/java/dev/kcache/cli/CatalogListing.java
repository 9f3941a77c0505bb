// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Registers;
import dev.kcache.codeobject.TargetId;
import dev.kcache.kernels.KernelUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code kcache list --catalog} shows: the units of the catalogue, and what the code objects
 * of them that the cache has need of a GPU.
 *
 * @param rows a unit for each target that the cache has it for, or once without one
 */
record CatalogListing(List<Row> rows) {
  private static final List<String> HEADING =
      List.of("unit", "file", "operations", "target", "VGPRs", "SGPRs", "LDS", "scratch");

  private static final int OPERATIONS = HEADING.indexOf("operations");

  /**
   * A unit, and its code object for a target.
   *
   * @param codeObjects none or one
   */
  record Row(KernelUnit unit, List<CodeObject> codeObjects) {
    private Row(KernelUnit unit, CodeObject code) {
      this(unit, List.of(code));
    }

    private List<String> cells() {
      List<String> cells =
          new ArrayList<>(
              List.of(unit.name(), unit.family().file(), String.join(" ", unit.operations())));
      for (CodeObject code : codeObjects) {
        cells.add(code.target().toString());
        cells.add(most(code, kernel -> kernel.registers().vgprs()));
        cells.add(most(code, kernel -> kernel.registers().sgprs()));
        cells.add(most(code, KernelMetadata::sharedMemoryBytes));
        cells.add(most(code, KernelMetadata::scratchBytes));
      }
      while (cells.size() < HEADING.size()) {
        cells.add("-");
      }
      return cells;
    }

    private static String most(CodeObject code, ToIntFunction<KernelMetadata> number) {
      return String.valueOf(code.kernels().stream().mapToInt(number).max().orElse(0));
    }

    private void writeTo(Json json) {
      json.put("name", unit.name())
          .put("family", unit.family())
          .put("type", unit.type())
          .put("file", unit.family().file())
          .put("operations", unit.operations())
          .put("kernels", unit.kernels())
          .objects("codeObjects", codeObjects, Row::write);
    }

    private static void write(CodeObject code, Json json) {
      json.put("target", code.target())
          .put("codeObject", code.digest())
          .objects("kernels", code.kernels(), Row::write);
    }

    private static void write(KernelMetadata kernel, Json json) {
      Registers registers = kernel.registers();
      json.put("name", kernel.name())
          .put("vgprs", registers.vgprs())
          .put("sgprs", registers.sgprs())
          .put("sharedMemoryBytes", kernel.sharedMemoryBytes())
          .put("scratchBytes", kernel.scratchBytes());
    }
  }

  /**
   * Looks units up.
   *
   * @param wanted the targets; if none, those of all the entries that the cache has
   */
  static CatalogListing of(List<KernelUnit> units, CacheManager cache, Set<TargetId> wanted) {
    Set<TargetId> targets =
        wanted.isEmpty()
            ? LocatedEntry.of(cache)
                .map(located -> located.entry().target())
                .collect(Collectors.toCollection(LinkedHashSet::new))
            : wanted;
    return new CatalogListing(units.stream().flatMap(unit -> rows(unit, cache, targets)).toList());
  }

  private static Stream<Row> rows(KernelUnit unit, CacheManager cache, Set<TargetId> targets) {
    List<Row> rows =
        targets.stream()
            .flatMap(target -> cache.getIfPresent(unit.source(), target).stream())
            .map(code -> new Row(unit, code))
            .toList();
    return rows.isEmpty() ? Stream.of(new Row(unit, List.of())) : rows.stream();
  }

  /** Writes it for programs. */
  void writeTo(Json json) {
    json.objects("units", rows, Row::writeTo);
  }

  /** Returns the lines of a table with the names of its columns. */
  List<String> lines(int columns) {
    return Text.fit(
        Text.titled(HEADING, rows.stream().map(Row::cells).toList()), OPERATIONS, columns);
  }
}
