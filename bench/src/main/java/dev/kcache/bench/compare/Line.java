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
 * A line of the table: a figure of kcache's beside another tool's, or why there is none.
 *
 * @param group the rows that it belongs to
 * @param what was to be measured
 * @param other what kcache is compared with; empty if with nothing
 * @param row the figures, where they could be measured
 * @param note why they could not; else empty
 * @param failed whether measuring failed, rather than a tool being absent
 */
record Line(
    Group group, String what, String other, Optional<Row> row, String note, boolean failed) {
  /** What became of a line. */
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

    /** Returns it for people. */
    String text() {
      return text;
    }
  }

  /** Returns a line of kcache's figure beside another's. */
  static Line of(
      Group group, String what, Unit unit, Samples kcache, String other, Samples others, Bar bar) {
    return of(group, other, new Row(what, unit, new Comparison(kcache, Optional.of(others)), bar));
  }

  /** Returns a line of kcache's figure alone. */
  static Line of(Group group, String what, Unit unit, Samples kcache, Bar bar) {
    return of(group, "", new Row(what, unit, new Comparison(kcache, Optional.empty()), bar));
  }

  private static Line of(Group group, String other, Row row) {
    return new Line(group, row.what(), other, Optional.of(row), "", false);
  }

  /**
   * Returns a line of kcache's side beside another one's, or that there is no other.
   *
   * @param seconds what was measured, by the sides' names
   * @param missing why there is no other, if so
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

  /** Returns what was measured of a side that is always there. */
  static Samples samples(Map<String, Samples> seconds, String side) {
    return Objects.requireNonNull(seconds.get(side), side);
  }

  /** Returns a line that could not be measured for want of something. */
  static Line absent(Group group, String what, String other, String missing) {
    return new Line(group, what, other, Optional.empty(), missing, false);
  }

  /** Returns a line that tells why a group could not be measured to its end. */
  static Line failed(Group group, String reason) {
    return new Line(group, group.title(), "", Optional.empty(), reason, true);
  }

  /** Returns how kcache compares, for people; empty where nothing was compared. */
  String ratio() {
    return row.isPresent() && row.get().ratio().isPresent()
        ? String.format(Locale.ROOT, "%.2f", row.get().ratio().getAsDouble())
        : "";
  }

  /** Returns what it is about, with what kcache is compared with. */
  String title() {
    String reason = note.isEmpty() ? "" : ": " + note;
    return (other.isEmpty() ? what : what + ", beside " + other) + reason;
  }

  /** Returns what became of it. */
  Verdict verdict() {
    if (row.isEmpty()) {
      return failed ? Verdict.FAILED : Verdict.NOT_HERE;
    }
    return row.get().isMet().map(met -> met ? Verdict.MET : Verdict.MISSED).orElse(Verdict.TOLD);
  }
}
