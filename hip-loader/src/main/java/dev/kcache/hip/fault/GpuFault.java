// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import com.sun.jna.Pointer;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A fault that ended a GPU's work for this process, as {@code libhsa-runtime64} tells it ({@code
 * hsa_amd_event_t}). It says neither kernel nor queue.
 *
 * @param kind what happened
 * @param agent the GPU
 * @param address of a memory fault: where the page begins
 * @param details of a memory fault the mask of reasons, of a hardware exception the cause
 */
record GpuFault(Kind kind, long agent, long address, int details) {
  enum Kind {
    MEMORY_FAULT,
    HARDWARE_EXCEPTION,
    OTHER;

    private static Kind of(int type) {
      return type == 0 ? MEMORY_FAULT : type == 1 ? HARDWARE_EXCEPTION : OTHER;
    }
  }

  /** The reasons by their bits ({@code hsa_amd_memory_fault_reason_t}). */
  private enum Reason {
    NOT_PRESENT(0, "the page is not present"),
    READ_ONLY(1, "the page is read-only"),
    NOT_EXECUTABLE(2, "the page is not executable"),
    HOST_ONLY(3, "the page is the host's only"),
    DRAM_ECC(4, "an ECC error of the memory"),
    IMPRECISE(5, "the address is not exact"),
    SRAM_ECC(6, "an ECC error of a cache"),
    HANG(31, "the GPU hangs");

    private final int bit;
    private final String text;

    Reason(int bit, String text) {
      this.bit = bit;
      this.text = text;
    }
  }

  /** Causes of a hardware exception. */
  private static final int CAUSE_HANG = 1;

  private static final int CAUSE_ECC = 2;

  /** Reads an event. */
  static GpuFault read(Pointer event) {
    Kind kind = Kind.of(event.getInt(0));
    return switch (kind) {
      case MEMORY_FAULT ->
          new GpuFault(kind, event.getLong(8), event.getLong(16), event.getInt(24));
      case HARDWARE_EXCEPTION -> new GpuFault(kind, event.getLong(8), 0, event.getInt(20));
      case OTHER -> new GpuFault(kind, 0, 0, 0);
    };
  }

  /**
   * Describes the fault in one line.
   *
   * @param devices the ordinals that the GPU may have; none if it is not known
   */
  String describe(List<Integer> devices, Suspects suspects) {
    String where =
        devices.isEmpty()
            ? "an unknown device"
            : "device " + devices.stream().map(String::valueOf).collect(Collectors.joining(" or "));
    return what(where) + "; " + suspects.describe();
  }

  private String what(String where) {
    if (kind == Kind.MEMORY_FAULT) {
      return "memory fault on %s at address 0x%x%s".formatted(where, address, reasons());
    }
    String cause =
        details == CAUSE_HANG ? " (the GPU hung)" : details == CAUSE_ECC ? " (an ECC error)" : "";
    return "hardware exception on " + where + cause;
  }

  private String reasons() {
    String known =
        Stream.of(Reason.values())
            .filter(reason -> (details >>> reason.bit & 1) == 1)
            .map(reason -> reason.text)
            .collect(Collectors.joining(", "));
    return known.isEmpty() ? "" : " (" + known + ")";
  }
}
