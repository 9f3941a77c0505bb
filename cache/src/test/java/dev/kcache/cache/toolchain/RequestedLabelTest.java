// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestedLabelTest {
  @Test
  void in_both_takesOurs() {
    assertThat(
            RequestedLabel.in(
                Map.of("KCACHE_ROCM_VERSION", "6.4.1", "ROCM_VERSION", "5.2"), Platform.AMD))
        .hasValueSatisfying(label -> assertThat(label.label()).hasToString("6.4"));
  }

  @Test
  void in_emptyOrNone_isAbsent() {
    assertThat(RequestedLabel.in(Map.of("KCACHE_ROCM_VERSION", ""), Platform.AMD)).isEmpty();
  }

  @Test
  void in_noVersion_namesTheVariable() {
    assertThatThrownBy(() -> RequestedLabel.in(Map.of("ROCM_VERSION", "abc"), Platform.AMD))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("ROCM_VERSION=abc: ");
  }
}
