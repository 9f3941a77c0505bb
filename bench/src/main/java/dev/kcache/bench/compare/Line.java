// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Comparison;
import dev.kcache.bench.Row;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A line of the table: a figure of kcache beside another tool's, or the reason why there is none.
 *
 * @param group the group of the line
 * @param what the name of the measurement
 * @param other the other tool; empty if there is none
 * @param row the figures, if measured
 * @param note why they are missing; else empty
 * @param failed whether measuring failed, rather than a tool being absent
 */
record Line(
    Group group, String what, String other, Optional<Row> row, String note, boolean failed) {
  /** The outcome of a line. */
  enum Verdict {
    /** The bar is met. */
    MET("met"),
    /** The bar is missed. */
    MISSED("MISSED"),
    /** There is no bar. */
    TOLD(""),
    /** A tool is missing. */
    NOT_HERE("not here"),
    /** A tool failed. */
    FAILED("FAILED");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    /** Returns the outcome for people. */
    String text() {
      return text;
    }
  }

  /** Returns a line with kcache's figure beside another. */
  static Line of(
      Group group, String what, Unit unit, Samples kcache, String other, Samples others, Bar bar) {
    return of(group, other, new Row(what, unit, new Comparison(kcache, Optional.of(others)), bar));
  }

  /** Returns a line with kcache's figure alone. */
  static Line of(Group group, String what, Unit unit, Samples kcache, Bar bar) {
    return of(group, "", new Row(what, unit, new Comparison(kcache, Optional.empty()), bar));
  }

  private static Line of(Group group, String other, Row row) {
    return new Line(group, row.what(), other, Optional.of(row), "", false);
  }

  /**
   * Returns a line with kcache's side beside another, or with the reason why there is no other.
   *
   * @param seconds the measured times, by side
   * @param missing why there is no other; else empty
   */
  static Line ofSides(
      Group group,
      String what,
      Unit unit,
      Map<String, Samples> seconds,
      String other,
      String missing,
      Bar bar) {
    Samples others = seconds.get(other);
    return others == null
        ? absent(group, what, other, missing)
        : of(group, what, unit, samples(seconds, "kcache"), other, others, bar);
  }

  /** Returns the times of a side that always exists. */
  static Samples samples(Map<String, Samples> seconds, String side) {
    return Objects.requireNonNull(seconds.get(side), side);
  }

  /** Returns a line that could not be measured because something is missing. */
  static Line absent(Group group, String what, String other, String missing) {
    return new Line(group, what, other, Optional.empty(), missing, false);
  }

  /** Returns a line that says why a group was not measured to its end. */
  static Line failed(Group group, String reason) {
    return new Line(group, group.title(), "", Optional.empty(), reason, true);
  }

  /** Returns how kcache compares, for people; empty without a comparison. */
  String ratio() {
    return row.isPresent() && row.get().ratio().isPresent()
        ? String.format(Locale.ROOT, "%.2f", row.get().ratio().getAsDouble())
        : "";
  }

  /** Returns the name of the measurement with the other tool. */
  String title() {
    String reason = note.isEmpty() ? "" : ": " + note;
    return (other.isEmpty() ? what : what + ", beside " + other) + reason;
  }

  /** Returns the outcome. */
  Verdict verdict() {
    if (row.isEmpty()) {
      return failed ? Verdict.FAILED : Verdict.NOT_HERE;
    }
    return row.get().isMet().map(met -> met ? Verdict.MET : Verdict.MISSED).orElse(Verdict.TOLD);
  }
}
