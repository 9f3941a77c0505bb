// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RowTest {
  private static Row row(Unit unit, double kcache, double c, Bar bar) {
    return new Row("x", unit, new Comparison(one(kcache), Optional.of(one(c))), bar);
  }

  private static Samples one(double figure) {
    return new Samples(List.of(figure));
  }

  @Test
  void speed_ofWhatTakesTime_isMoreIfItTakesLess() {
    Row faster = row(Unit.NANOSECONDS, 80, 100, Bar.speed(0.95));
    assertThat(faster.ratio()).hasValueCloseTo(1.25, within(1e-9));
    assertThat(faster.isMet()).contains(true);
    assertThat(row(Unit.NANOSECONDS, 106, 100, Bar.speed(0.95)).isMet()).contains(false);
  }

  @Test
  void speed_ofBandwidth_isMoreIfThereIsMore() {
    Row slower = row(Unit.BYTES_PER_SECOND, 94, 100, Bar.speed(0.95));
    assertThat(slower.ratio()).hasValueCloseTo(0.94, within(1e-9));
    assertThat(slower.isMet()).contains(false);
    assertThat(row(Unit.BYTES_PER_SECOND, 95, 100, Bar.speed(0.95)).isMet()).contains(true);
  }

  @Test
  void cost_isMetIfItIsNotMuchMore() {
    Row dearer = row(Unit.NANOSECONDS, 116, 100, Bar.cost(1.15));
    assertThat(dearer.ratio()).hasValueCloseTo(1.16, within(1e-9));
    assertThat(dearer.isMet()).contains(false);
    assertThat(row(Unit.NANOSECONDS, 114, 100, Bar.cost(1.15)).isMet()).contains(true);
  }

  @Test
  void amount_isJudgedWithoutC() {
    Comparison alone = new Comparison(one(0), Optional.empty());
    Row row = new Row("x", Unit.BYTES, alone, Bar.nothing());
    assertThat(row.isMet()).contains(true);
    assertThat(row.ratio()).isEmpty();
    assertThat(row(Unit.BYTES, 1, 0, Bar.nothing()).isMet()).contains(false);
  }

  @Test
  void withoutC_noSpeedIsJudged() {
    Comparison alone = new Comparison(one(1), Optional.empty());
    Row row = new Row("x", Unit.NANOSECONDS, alone, Bar.speed(0.95));
    assertThat(row.isMet()).isEmpty();
    assertThat(row.ratio()).isEmpty();
  }

  @Test
  void withoutABar_theRatioIsOneOfSpeed() {
    Row row = row(Unit.MILLISECONDS, 4, 2, Bar.none());
    assertThat(row.ratio()).hasValueCloseTo(0.5, within(1e-9));
    assertThat(row.isMet()).isEmpty();
  }
}
