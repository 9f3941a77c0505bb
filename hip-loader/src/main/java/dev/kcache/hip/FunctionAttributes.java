// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * The attributes of a function, as in {@code hipFuncGetAttribute}.
 *
 * @param maxThreadsPerBlock the most threads of a block that it can be launched with
 * @param sharedMemoryBytes the static shared memory (LDS) of a block, in bytes
 * @param constantBytes the constant memory that it takes, in bytes
 * @param scratchBytes the scratch memory of a thread, in bytes
 * @param registers the registers of a thread
 * @param ptxVersion the PTX version; without meaning on AMD
 * @param binaryVersion the instruction set's major version, times 10, plus the minor
 * @param maxDynamicSharedMemoryBytes the most dynamic shared memory of a block, in bytes
 */
public record FunctionAttributes(
    int maxThreadsPerBlock,
    int sharedMemoryBytes,
    int constantBytes,
    int scratchBytes,
    int registers,
    int ptxVersion,
    int binaryVersion,
    int maxDynamicSharedMemoryBytes) {

  /**
   * Reads the attributes by their numbers in {@code hipFunction_attribute}, except 7, the cache
   * mode.
   *
   * @param module the function's module, kept open during each call
   * @throws IllegalStateException if the module is closed
   * @throws HipException if the runtime fails
   */
  static FunctionAttributes read(DeviceContext device, Handle module, long function) {
    int[] values = new int[9];
    int[] value = new int[1];
    for (int i = 0; i < values.length; i++) {
      int attribute = i;
      device.call(
          "hipFuncGetAttribute",
          module,
          (hip, unused) -> hip.hipFuncGetAttribute(value, attribute, function));
      values[i] = value[0];
    }
    return new FunctionAttributes(
        values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[8]);
  }
}
