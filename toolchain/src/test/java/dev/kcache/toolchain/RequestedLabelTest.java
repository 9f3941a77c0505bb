// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

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

  @Test
  void in_eachPlatform_hasItsOwnVariables() {
    Map<String, String> both = Map.of("ROCM_VERSION", "6.4.1", "CUDA_VERSION", "13.0.1");

    assertThat(RequestedLabel.in(both, Platform.AMD))
        .contains(new RequestedLabel("ROCM_VERSION", "6.4.1", new ToolchainLabel("6.4")));
    assertThat(RequestedLabel.in(both, Platform.NVIDIA))
        .contains(new RequestedLabel("CUDA_VERSION", "13.0.1", new ToolchainLabel("cuda13.0")));
    assertThat(
            RequestedLabel.in(
                Map.of("KCACHE_CUDA_VERSION", "12.9", "CUDA_VERSION", "13.0.1"), Platform.NVIDIA))
        .contains(
            new RequestedLabel("KCACHE_CUDA_VERSION", "12.9", new ToolchainLabel("cuda12.9")));
  }

  @Test
  void in_noCudaVersion_namesTheVariableAndAnExample() {
    Map<String, String> garbage = Map.of("CUDA_VERSION", "none");

    assertThatThrownBy(() -> RequestedLabel.in(garbage, Platform.NVIDIA))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "CUDA_VERSION=none: 'none' is not a CUDA version; write it as major.minor, such as"
                + " 13.0");
    assertThat(RequestedLabel.in(garbage, Platform.AMD)).isEmpty();
  }
}
