// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the handler answers to events that are none of its own, and how it reads the others. */
class FaultWatchTest {
  private static final int SIZE = 32;

  private static Memory event(int type) {
    Memory event = new Memory(SIZE);
    event.clear();
    event.setInt(0, type);
    return event;
  }

  /** A failed free, the runtime's own end, and what newer runtimes may tell. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, -1})
  void eventOfAnotherType_isLeftToTheRuntime(int type) {
    assertThat(new FaultWatch().invoke(event(type), Pointer.NULL)).isEqualTo(Hsa.ERROR);
  }

  /** JNA would tell the runtime that all is taken care of. */
  @Test
  void handlerThatFails_leavesTheFaultToTheRuntime() {
    assertThat(new FaultWatch().invoke(null, Pointer.NULL)).isEqualTo(Hsa.ERROR);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0x00000001 | (the page is not present)",
        "0x00000002 | (the page is read-only)",
        "0x00000004 | (the page is not executable)",
        "0x00000008 | (the page is the host's only)",
        "0x00000010 | (an ECC error of the memory)",
        "0x00000021 | (the page is not present, the address is not exact)",
        "0x00000040 | (an ECC error of a cache)",
        "0x80000000 | (the GPU hangs)",
        "0x00000100 | ''",
      })
  void memoryFault_isToldWithItsReasons(String mask, String reasons) {
    Memory event = event(0);
    event.setLong(8, 7);
    event.setLong(16, 0x7f00_0001_2000L);
    event.setInt(24, Integer.parseUnsignedInt(mask.substring(2), 16));

    GpuFault fault = GpuFault.read(event);

    assertThat(fault.agent()).isEqualTo(7);
    assertThat(fault.describe(List.of(1), new Suspects(List.of("vadd"), 0)))
        .isEqualTo(
            "memory fault on device 1 at address 0x7f0000012000%s; the kernel in flight was vadd",
            reasons.isEmpty() ? "" : " " + reasons);
  }

  @ParameterizedTest
  @CsvSource({"1, ' (the GPU hung)'", "2, ' (an ECC error)'", "3, ''"})
  void hardwareException_isToldWithItsCause(int cause, String told) {
    Memory event = event(1);
    event.setLong(8, 7);
    event.setInt(20, cause);

    assertThat(GpuFault.read(event).describe(List.of(), new Suspects(List.of("a", "b"), 3)))
        .isEqualTo(
            "hardware exception on an unknown device%s; the kernels in flight were a, b and 3"
                + " earlier launches",
            told);
  }
}
