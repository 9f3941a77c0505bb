// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PastedNamesTest {
  private static final Set<String> PARTS = Set.of("__DA", "TE", "__", "__DATE__", "M");

  @ParameterizedTest
  @ValueSource(strings = {"__DATE__", "MM", "TETETE", "__M__"})
  void nameOfTwoPartsOrMore_canBeMade(String name) {
    assertThat(PastedNames.canMake(name, PARTS)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "M", "__TIME__", "MA", "AM", "_"})
  void otherName_cannot(String name) {
    assertThat(PastedNames.canMake(name, PARTS)).isFalse();
  }

  /** There are more ways to divide them than anybody could try. */
  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD, unit = TimeUnit.SECONDS)
  void namesOfEqualLetters_areToldApartAtOnce() {
    Set<String> parts = Set.of("i", "ii", "iii", "iiiii");

    assertThat(PastedNames.canMake("i".repeat(200) + "m", parts)).isFalse();
    assertThat(PastedNames.canMake("m" + "i".repeat(200), parts)).isFalse();
    assertThat(PastedNames.canMake("i".repeat(200), parts)).isTrue();
    assertThat(PastedNames.canMake("i".repeat(1_000_000) + "m", parts)).as("to be safe").isTrue();
  }
}
