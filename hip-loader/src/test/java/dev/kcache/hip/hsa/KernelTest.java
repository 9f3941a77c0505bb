// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Registers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the metadata of a kernel decides about its packets. */
class KernelTest {
  private static final int LARGEST = 1 << 16;

  private static KernelMetadata kernel(int alignment, boolean dynamicStack) {
    return new KernelMetadata(
        "k",
        "k.kd",
        List.of(),
        8,
        alignment,
        new Registers(8, 0, 8, 0, 0),
        0,
        0,
        dynamicStack,
        64,
        1024,
        Optional.empty(),
        Optional.empty());
  }

  /** The compiler knows the stack of such a kernel in part only. */
  @ParameterizedTest
  @CsvSource({"false, 0, 0", "false, 48, 48", "true, 48, 1024", "true, 4096, 4096"})
  void scratch_isWhatTheCompilerSaysAndMoreForADynamicStack(
      boolean dynamic, int fixed, int scratch) {
    assertThat(Kernel.scratch(kernel(8, dynamic), fixed)).isEqualTo(scratch);
  }

  @ParameterizedTest
  @CsvSource({"65537, 8", "8, 128"})
  void argumentsThatTheQueueHasNoRoomFor_areRefusedByName(int size, int alignment) {
    HsaFailure failure =
        catchThrowableOfType(
            HsaFailure.class, () -> Kernel.requireFits(kernel(alignment, false), size, LARGEST));

    assertThat(failure.error()).isEqualTo(HsaFailure.NOT_SUPPORTED);
    assertThat(failure)
        .hasMessage(
            "k takes %d bytes of arguments, aligned to %d; HSA takes up to 65536 here, aligned to 64",
            size, alignment);
  }

  @Test
  void largestArguments_fit() {
    assertThatCode(() -> Kernel.requireFits(kernel(64, false), LARGEST, LARGEST))
        .doesNotThrowAnyException();
  }
}
