// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.util.List;

/** The attributes of a function, as in {@code hipFuncGetAttribute}. */
public final class FunctionAttributes {
  private final int maxThreadsPerBlock;
  private final int sharedMemoryBytes;
  private final int constantBytes;
  private final int scratchBytes;
  private final int registers;
  private final int ptxVersion;
  private final int binaryVersion;
  private final int maxDynamicSharedMemoryBytes;

  FunctionAttributes(
      int maxThreadsPerBlock,
      int sharedMemoryBytes,
      int constantBytes,
      int scratchBytes,
      int registers,
      int ptxVersion,
      int binaryVersion,
      int maxDynamicSharedMemoryBytes) {
    this.maxThreadsPerBlock = maxThreadsPerBlock;
    this.sharedMemoryBytes = sharedMemoryBytes;
    this.constantBytes = constantBytes;
    this.scratchBytes = scratchBytes;
    this.registers = registers;
    this.ptxVersion = ptxVersion;
    this.binaryVersion = binaryVersion;
    this.maxDynamicSharedMemoryBytes = maxDynamicSharedMemoryBytes;
  }

  /** {@return the most threads of a block that it can be launched with} */
  public int maxThreadsPerBlock() {
    return maxThreadsPerBlock;
  }

  /** {@return the static shared memory (LDS) of a block, in bytes} */
  public int sharedMemoryBytes() {
    return sharedMemoryBytes;
  }

  /** {@return the constant memory that it takes, in bytes} */
  public int constantBytes() {
    return constantBytes;
  }

  /** {@return the scratch memory of a thread, in bytes} */
  public int scratchBytes() {
    return scratchBytes;
  }

  /** {@return the registers of a thread} */
  public int registers() {
    return registers;
  }

  /** {@return the PTX version; without meaning on AMD} */
  public int ptxVersion() {
    return ptxVersion;
  }

  /** {@return the instruction set's major version, times 10, plus the minor} */
  public int binaryVersion() {
    return binaryVersion;
  }

  /** {@return the most dynamic shared memory of a block, in bytes} */
  public int maxDynamicSharedMemoryBytes() {
    return maxDynamicSharedMemoryBytes;
  }

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

  private List<Object> values() {
    return List.of(
        maxThreadsPerBlock,
        sharedMemoryBytes,
        constantBytes,
        scratchBytes,
        registers,
        ptxVersion,
        binaryVersion,
        maxDynamicSharedMemoryBytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FunctionAttributes that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return "FunctionAttributes" + values();
  }
}
