// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Map;
import java.util.regex.Pattern;

/** The numbers of {@code hsa_status_t}, from the headers that {@link Hsa} names. */
final class Status {
  static final int SUCCESS = 0;
  static final int OUT_OF_RESOURCES = 0x1008;

  private static final Pattern ENTRY = Pattern.compile("([0-9a-fx]+) (\\w+)");

  private static final Map<Integer, String> NAMES =
      ENTRY
          .matcher(
              """
              0x1000 ERROR, 0x1001 INVALID_ARGUMENT, 0x1002 INVALID_QUEUE_CREATION
              0x1003 INVALID_ALLOCATION, 0x1004 INVALID_AGENT, 0x1005 INVALID_REGION
              0x1006 INVALID_SIGNAL, 0x1007 INVALID_QUEUE, 0x1008 OUT_OF_RESOURCES
              0x1009 INVALID_PACKET_FORMAT, 0x100a RESOURCE_FREE, 0x100b NOT_INITIALIZED
              0x100c REFCOUNT_OVERFLOW, 0x100d INCOMPATIBLE_ARGUMENTS, 0x100e INVALID_INDEX
              0x100f INVALID_ISA, 0x1010 INVALID_CODE_OBJECT, 0x1011 INVALID_EXECUTABLE
              0x1012 FROZEN_EXECUTABLE, 0x1013 INVALID_SYMBOL_NAME
              0x1014 VARIABLE_ALREADY_DEFINED, 0x1015 VARIABLE_UNDEFINED, 0x1016 EXCEPTION
              0x1017 INVALID_ISA_NAME, 0x1018 INVALID_CODE_SYMBOL
              0x1019 INVALID_EXECUTABLE_SYMBOL, 0x1020 INVALID_FILE
              0x1021 INVALID_CODE_OBJECT_READER, 0x1025 INVALID_RUNTIME_STATE, 0x1026 FATAL
              40 INVALID_MEMORY_POOL, 41 MEMORY_APERTURE_VIOLATION, 42 ILLEGAL_INSTRUCTION
              43 MEMORY_FAULT, 44 CU_MASK_REDUCED, 45 OUT_OF_REGISTERS, 46 RESOURCE_BUSY
              47 NOT_SUPPORTED
              """)
          .results()
          .collect(
              toUnmodifiableMap(match -> Integer.decode(match.group(1)), match -> match.group(2)));

  private Status() {}

  /** Returns a status as its name and number, such as {@code INVALID_ISA (0x100f)}. */
  static String describe(int status) {
    return "%s (%#x)".formatted(NAMES.getOrDefault(status, "unknown"), status);
  }

  /** Returns the {@code hipError_t} of a function's status. */
  static int hipError(int status) {
    return switch (status) {
      case SUCCESS -> HsaFailure.SUCCESS;
      case 0x1001 -> HsaFailure.INVALID_VALUE;
      case 0x1003, OUT_OF_RESOURCES -> HsaFailure.OUT_OF_MEMORY;
      case 0x1004 -> HsaFailure.INVALID_DEVICE;
      case 0x100b -> HsaFailure.NOT_INITIALIZED;
      case 0x100d -> HsaFailure.NO_BINARY_FOR_GPU;
      case 0x100f, 0x1017 -> HsaFailure.NO_BINARY_FOR_GPU;
      case 0x1010, 0x1011, 0x1015, 0x1021 -> HsaFailure.INVALID_IMAGE;
      case 0x1013 -> HsaFailure.NOT_FOUND;
      default -> HsaFailure.UNKNOWN;
    };
  }

  /**
   * Returns the {@code hipError_t} of a queue's error: as HIP 7 has it, but for the lack of
   * resources.
   */
  static int hipErrorOfQueue(int status) {
    return switch (status) {
      case 41, 43 -> HsaFailure.ILLEGAL_ADDRESS;
      case 42, 0x1001, 0x1009, 0x100d, 0x1016 -> HsaFailure.LAUNCH_FAILURE;
      case 45, 0x1003, OUT_OF_RESOURCES -> HsaFailure.LAUNCH_OUT_OF_RESOURCES;
      case 0x100f, 0x1010 -> HsaFailure.INVALID_KERNEL_FILE;
      default -> HsaFailure.UNKNOWN;
    };
  }
}
