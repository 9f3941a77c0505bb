// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SamplesTest {
  @Test
  void median_ofAnOddCount_isTheOneInTheMiddle() {
    assertThat(new Samples(List.of(9.0, 1.0, 2.0)).median()).isEqualTo(2);
  }

  @Test
  void median_ofAnEvenCount_isTheMeanOfTwo() {
    assertThat(new Samples(List.of(9.0, 1.0, 2.0, 4.0)).median()).isEqualTo(3);
  }

  @Test
  void noRound_isRefused() {
    assertThatThrownBy(() -> new Samples(List.of())).isInstanceOf(IllegalArgumentException.class);
  }
}
