// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ToolchainLabelTest {
  @ParameterizedTest
  @CsvSource({
    "AMD, 6.4, 6.4",
    "AMD, 6.4.43484-9999, 6.4",
    "AMD, ' 05.02 ', 5.2",
    "NVIDIA, 13.0.88, cuda13.0",
    "NVIDIA, 12.9, cuda12.9",
    "NVIDIA, cuda12.9, cuda12.9",
    "NVIDIA, 013.00, cuda13.0",
    "AMD, llvm20.1, llvm20.1",
    "AMD, anothercompiler1.0, anothercompiler1.0"
  })
  void ofVersion_majorAndMinor_areTheLabel(Platform platform, String version, String label) {
    assertThat(ToolchainLabel.ofVersion(platform, version)).hasToString(label);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "13", "cuda", "rocm13.0", "13.x", "13.0/..", "99999.0", "13.0 beta"})
  void ofVersion_noVersion_isRefusedWithAnExample(String version) {
    assertThatThrownBy(() -> ToolchainLabel.ofVersion(Platform.NVIDIA, version))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'" + version + "' is not a CUDA version; write it as major.minor, such as 13.0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "cuda",
        "cuda13",
        "cuda13.00",
        "cuda013.0",
        "CUDA13.0",
        "13.0-1",
        "cuda-13.0",
        "l1vm20.1",
        "acompilerwhosenameisfartoolongfor1.0"
      })
  void newLabel_notCanonical_isRefused(String text) {
    assertThatThrownBy(() -> new ToolchainLabel(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void order_isByNumberAndHipComesFirst() {
    assertThat(
            Stream.of("cuda13.0", "6.10", "cuda9.2", "5.2", "cuda12.9", "6.4", "cuda12.10", "13.0")
                .map(ToolchainLabel::new)
                .sorted())
        .extracting(ToolchainLabel::text)
        .containsExactly(
            "5.2", "6.4", "6.10", "13.0", "cuda9.2", "cuda12.9", "cuda12.10", "cuda13.0");
  }

  @ParameterizedTest
  @CsvSource({"6.4, 7.0, true", "llvm20.1, llvm21.0, true", "6.4, hiprtc6.4, false"})
  void isOfSameCompiler_comparesTheNames(String one, String other, boolean same) {
    assertThat(new ToolchainLabel(one).isOfSameCompiler(new ToolchainLabel(other))).isEqualTo(same);
  }
}
