// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.DeviceProperties.ComputeUnits;
import dev.kcache.hip.DeviceProperties.LaunchLimits;
import dev.kcache.hip.binding.DeviceAttribute;
import dev.kcache.hip.binding.Hip;

/**
 * A device's properties asked for one by one: NVIDIA's way, and the one that is left with a runtime
 * of AMD's that has neither version of the structure.
 */
final class DeviceAttributes {
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
        attributes.get(DeviceAttribute.WARP_SIZE),
        new LaunchLimits(
            attributes.sharedMemory(),
            attributes.get(DeviceAttribute.MAX_REGISTERS_PER_BLOCK),
            attributes.get(DeviceAttribute.MAX_THREADS_PER_BLOCK),
            attributes.dim3(
                DeviceAttribute.MAX_BLOCK_DIM_X,
                DeviceAttribute.MAX_BLOCK_DIM_Y,
                DeviceAttribute.MAX_BLOCK_DIM_Z),
            attributes.dim3(
                DeviceAttribute.MAX_GRID_DIM_X,
                DeviceAttribute.MAX_GRID_DIM_Y,
                DeviceAttribute.MAX_GRID_DIM_Z)),
        new ComputeUnits(
            attributes.get(DeviceAttribute.MULTIPROCESSOR_COUNT),
            attributes.get(DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR),
            attributes.get(DeviceAttribute.CLOCK_RATE)),
        attributes.get(DeviceAttribute.L2_CACHE_SIZE),
        attributes.get(DeviceAttribute.INTEGRATED) != 0);
  }

  private String name() {
    byte[] name = new byte[NAME_SIZE];
    device.check("hipDeviceGetName", hip.hipDeviceGetName(name, name.length, device.ordinal()));
    return PropertyLayout.text(name, 0, name.length);
  }

  private String archName() {
    return isNvidia()
        ? "sm_%d%d"
            .formatted(
                get(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR),
                get(DeviceAttribute.COMPUTE_CAPABILITY_MINOR))
        : "";
  }

  /** On NVIDIA a function may have more than is there for all, if that is set for it. */
  private int sharedMemory() {
    return get(
        isNvidia()
            ? DeviceAttribute.SHARED_MEMORY_PER_BLOCK_OPTIN
            : DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK);
  }

  private boolean isNvidia() {
    return device.library().platform() == Platform.NVIDIA;
  }

  private long memory() {
    long[] bytes = new long[1];
    device.check("hipDeviceTotalMem", hip.hipDeviceTotalMem(bytes, device.ordinal()));
    return bytes[0];
  }

  private Dim3 dim3(DeviceAttribute x, DeviceAttribute y, DeviceAttribute z) {
    return new Dim3(get(x), get(y), get(z));
  }

  private int get(DeviceAttribute attribute) {
    int[] value = new int[1];
    int number = attribute.number(device.library().platform());
    device.check(
        "hipDeviceGetAttribute", hip.hipDeviceGetAttribute(value, number, device.ordinal()));
    return value[0];
  }
}
