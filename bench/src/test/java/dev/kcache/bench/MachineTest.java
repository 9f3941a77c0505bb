// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineTest {
  @ParameterizedTest
  @CsvSource({
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 17 2024, 535.161.08",
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release, 580.159.04",
    "NVRM version: of another kind, ''"
  })
  void nvidiaDriver_isFoundBehindTheProcessor(String text, String version) {
    assertThat(Machine.nvidiaDriver(text)).isEqualTo(version);
  }
}
