// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.Occupancy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel uses in two code objects.
 *
 * @param kernel its name
 * @param before what it uses in the first; null if it is in the second only
 * @param after what it uses in the second; null if it is in the first only
 */
record KernelChange(String kernel, @Nullable Usage before, @Nullable Usage after) {
  /** Stands in a cell between two values that differ. */
  static final String ARROW = " → ";

  private static final String OCCUPANCY = "occupancy";

  private static final List<Quantity> QUANTITIES =
      List.of(
          new Quantity("vgprs", usage -> usage.kernel().registers().vgprs()),
          new Quantity("agprs", usage -> usage.kernel().registers().agprs()),
          new Quantity("sgprs", usage -> usage.kernel().registers().sgprs()),
          new Quantity("spills", Usage::spills),
          new Quantity("shared", usage -> usage.kernel().sharedMemoryBytes()),
          new Quantity("scratch", usage -> usage.kernel().scratchBytes()),
          new Quantity(OCCUPANCY, usage -> usage.occupancy().map(Occupancy::waves).orElse(null)));

  /** A kernel of a code object. */
  record Usage(KernelMetadata kernel, Optional<Occupancy> occupancy) {
    static Usage of(CodeObject code, KernelMetadata kernel) {
      return new Usage(kernel, Occupancy.of(code.target().processor(), kernel));
    }

    int spills() {
      return kernel.registers().vgprSpills() + kernel.registers().sgprSpills();
    }

    private String text(Quantity quantity) {
      Integer number = quantity.of().apply(this);
      return number == null ? "-" : number.toString();
    }
  }

  /** What a kernel uses; null where it isn't known. */
  private record Quantity(String name, Function<Usage, @Nullable Integer> of) {}

  /** Returns the kernels of two code objects by name, the same ones too. */
  static List<KernelChange> between(CodeObject before, CodeObject after) {
    Map<String, KernelChange> changes = new TreeMap<>();
    for (KernelMetadata kernel : before.kernels()) {
      changes.put(kernel.name(), new KernelChange(kernel.name(), Usage.of(before, kernel), null));
    }
    for (KernelMetadata kernel : after.kernels()) {
      KernelChange old = changes.get(kernel.name());
      changes.put(
          kernel.name(),
          new KernelChange(
              kernel.name(), old == null ? null : old.before(), Usage.of(after, kernel)));
    }
    return List.copyOf(changes.values());
  }

  boolean differs() {
    Usage old = before;
    Usage now = after;
    return old == null
        || now == null
        || QUANTITIES.stream()
            .anyMatch(each -> !Objects.equals(each.of().apply(old), each.of().apply(now)));
  }

  /** Returns whether it takes more registers or memory, or spills more. */
  boolean grew() {
    Usage old = before;
    Usage now = after;
    return old != null
        && now != null
        && QUANTITIES.stream()
            .filter(each -> !each.name().equals(OCCUPANCY))
            .anyMatch(each -> isMore(each.of().apply(now), each.of().apply(old)));
  }

  private static boolean isMore(@Nullable Integer one, @Nullable Integer other) {
    return one != null && other != null && one > other;
  }

  /** Returns whether a smaller part of the wavefronts that a SIMD can hold fits. */
  boolean lostOccupancy() {
    return before != null
        && after != null
        && before.occupancy().isPresent()
        && after.occupancy().isPresent()
        && isLess(after.occupancy().get(), before.occupancy().get());
  }

  private static boolean isLess(Occupancy one, Occupancy other) {
    return one.waves() * other.most() < other.waves() * one.most();
  }

  void writeTo(Json json) {
    json.put("name", kernel)
        .object("before", before == null ? null : each -> write(before, each))
        .object("after", after == null ? null : each -> write(after, each))
        .put("lostOccupancy", lostOccupancy())
        .put("grew", grew());
  }

  private static void write(Usage usage, Json json) {
    QUANTITIES.forEach(each -> json.put(each.name(), each.of().apply(usage)));
    json.put("maxOccupancy", usage.occupancy().map(Occupancy::most));
  }

  static List<String> heading() {
    return Stream.concat(Stream.of("kernel"), QUANTITIES.stream().map(Quantity::name)).toList();
  }

  /** Returns the cells of a table. */
  List<String> cells() {
    List<String> cells = new ArrayList<>(List.of(Text.oneLine(kernel)));
    Usage old = before;
    Usage now = after;
    if (old == null || now == null) {
      cells.add(old == null ? "new" : "gone");
      return cells;
    }
    for (Quantity each : QUANTITIES) {
      String from = old.text(each);
      String to = now.text(each);
      cells.add(from.equals(to) ? from : from + ARROW + to);
    }
    if (lostOccupancy()) {
      cells.set(cells.size() - 1, cells.get(cells.size() - 1) + ", lost");
    }
    return cells;
  }
}
