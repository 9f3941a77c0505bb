// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.ToolchainLabel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code nvcc --version} prints, from CUDA 10.2 on. */
class NvccVersionTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10.2 | 10.2.89   | Copyright (c) 2005-2019 NVIDIA Corporation | ",
        "11.0 | 11.0.194  | Copyright (c) 2005-2020 NVIDIA Corporation |"
            + " cuda_11.0_bu.TC445_37.28540450_0",
        "11.8 | 11.8.89   | Copyright (c) 2005-2022 NVIDIA Corporation |"
            + " cuda_11.8.r11.8/compiler.31833905_0",
        "12.0 | 12.0.140  | Copyright (c) 2005-2023 NVIDIA Corporation |"
            + " cuda_12.0.r12.0/compiler.32267302_0",
        "12.9 | 12.9.86   | Copyright (c) 2005-2025 NVIDIA Corporation |"
            + " cuda_12.9.r12.9/compiler.36037853_0",
        "13.0 | 13.0.88   | Copyright (c) 2005-2025 NVIDIA Corporation |"
            + " cuda_13.0.r13.0/compiler.36424714_0",
      })
  void parse_everyRelease_isItsVersionAndLabel(
      String release, String version, String copyright, String build) {
    String text =
        "nvcc: NVIDIA (R) Cuda compiler driver\n"
            + copyright
            + "\nBuilt on Wed_Aug_20_01:58:59_PM_PDT_2025\nCuda compilation tools, release "
            + release
            + ", V"
            + version
            + "\n"
            + (build == null ? "" : "Build " + build + "\n");

    assertThat(NvccDialect.version(text))
        .contains(new CompilerVersion("CUDA", version, text, new ToolchainLabel("cuda" + release)));
  }

  @Test
  void parse_warningBefore_isPassedOver() {
    String line = "Cuda compilation tools, release 13.0, V13.0.88";
    assertThat(NvccDialect.version("nvcc warning : old\n" + line).map(CompilerVersion::version))
        .contains("13.0.88");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HIP version: 6.4.43484-9999",
        "Cuda compilation tools, release 13.0",
        "Cuda compilation tools, release 13.0, V13.0",
        "Cuda compilation tools, release 13.0, V0.0.88",
        "Cuda compilation tools, release 13.0, V13.0.88.1",
        "Cuda compilation tools, release 99999.0, V99999.0.88",
      })
  void parse_noVersion_isEmpty(String text) {
    assertThat(NvccDialect.version(text)).isEmpty();
  }
}
