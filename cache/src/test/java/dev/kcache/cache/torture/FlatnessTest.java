// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class FlatnessTest {
  private static Flatness of(int samples, IntToLongFunction sample) {
    Flatness flatness = new Flatness("fds", 3);
    for (int i = 0; i < samples; i++) {
      flatness.add(sample.applyAsLong(i));
    }
    return flatness;
  }

  @Test
  void noiseAndWarmUp_areFlat() {
    assertThat(of(30, i -> i < 6 ? i : 20 + i % 5).isFlat()).isTrue();
  }

  @Test
  void onePeak_isFlat() {
    assertThat(of(30, i -> i == 25 ? 1000 : 20).isFlat()).isTrue();
  }

  @Test
  void steadyGrowth_isNotFlat() {
    assertThat(of(30, i -> 20 + i).isFlat()).isFalse();
    assertThat(of(30, i -> 20 + i)).hasToString("fds 30 to 46 (30 samples)");
  }
}
