// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.DeviceProperties.ComputeUnits;
import dev.kcache.hip.DeviceProperties.LaunchLimits;
import dev.kcache.hip.binding.Hip;

/**
 * A device's properties asked for one by one: NVIDIA's way, and the one that is left with a runtime
 * of AMD's that has neither version of the structure. The numbers are those of {@code
 * hipDeviceAttribute_t}, the same from ROCm 5 to 7.
 */
final class DeviceAttributes {
  private static final int CLOCK_RATE = 5;
  private static final int INTEGRATED = 16;
  private static final int L2_CACHE_SIZE = 19;
  private static final int COMPUTE_CAPABILITY_MAJOR = 23;
  private static final int MAX_BLOCK_DIM_X = 26;
  private static final int MAX_GRID_DIM_X = 29;
  private static final int MAX_THREADS_PER_BLOCK = 56;
  private static final int MAX_THREADS_PER_MULTIPROCESSOR = 57;
  private static final int COMPUTE_CAPABILITY_MINOR = 61;
  private static final int MULTIPROCESSOR_COUNT = 63;
  private static final int MAX_REGISTERS_PER_BLOCK = 71;
  private static final int MAX_SHARED_MEMORY_PER_BLOCK = 74;
  private static final int SHARED_MEMORY_PER_BLOCK_OPTIN = 75;
  private static final int WARP_SIZE = 87;

  private static final int NAME_SIZE = 256;

  private final DeviceContext device;
  private final Hip hip;

  private DeviceAttributes(DeviceContext device) {
    this.device = device;
    this.hip = device.library().functions();
  }

  /**
   * Asks for everything, but on AMD the target ID, which no attribute gives: it is empty.
   *
   * @throws HipException if the runtime fails
   */
  static DeviceProperties read(DeviceContext device) {
    DeviceAttributes attributes = new DeviceAttributes(device);
    return new DeviceProperties(
        attributes.name(),
        attributes.archName(),
        attributes.memory(),
        attributes.get(WARP_SIZE),
        new LaunchLimits(
            attributes.sharedMemory(),
            attributes.get(MAX_REGISTERS_PER_BLOCK),
            attributes.get(MAX_THREADS_PER_BLOCK),
            attributes.dim3(MAX_BLOCK_DIM_X),
            attributes.dim3(MAX_GRID_DIM_X)),
        new ComputeUnits(
            attributes.get(MULTIPROCESSOR_COUNT),
            attributes.get(MAX_THREADS_PER_MULTIPROCESSOR),
            attributes.get(CLOCK_RATE)),
        attributes.get(L2_CACHE_SIZE),
        attributes.get(INTEGRATED) != 0);
  }

  private String name() {
    byte[] name = new byte[NAME_SIZE];
    device.check("hipDeviceGetName", hip.hipDeviceGetName(name, name.length, device.ordinal()));
    return PropertyLayout.text(name, 0, name.length);
  }

  private String archName() {
    return isNvidia()
        ? "sm_%d%d".formatted(get(COMPUTE_CAPABILITY_MAJOR), get(COMPUTE_CAPABILITY_MINOR))
        : "";
  }

  /** On NVIDIA a function may have more than is there for all, if that is set for it. */
  private int sharedMemory() {
    return get(isNvidia() ? SHARED_MEMORY_PER_BLOCK_OPTIN : MAX_SHARED_MEMORY_PER_BLOCK);
  }

  private boolean isNvidia() {
    return device.library().platform() == Platform.NVIDIA;
  }

  private long memory() {
    long[] bytes = new long[1];
    device.check("hipDeviceTotalMem", hip.hipDeviceTotalMem(bytes, device.ordinal()));
    return bytes[0];
  }

  /** The three dimensions follow each other. */
  private Dim3 dim3(int x) {
    return new Dim3(get(x), get(x + 1), get(x + 2));
  }

  private int get(int attribute) {
    int[] value = new int[1];
    device.check(
        "hipDeviceGetAttribute",
        device.library().platformCalls().hipDeviceGetAttribute(value, attribute, device.ordinal()));
    return value[0];
  }
}
