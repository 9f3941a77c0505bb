// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.DeviceProperties.ComputeUnits;
import dev.kcache.hip.DeviceProperties.LaunchLimits;
import dev.kcache.hip.binding.DeviceAttribute;
import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.binding.PlatformCalls;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads a device's properties attribute by attribute: the numbers of attributes are stable, the
 * layout of {@code hipDeviceProp_t} is not. Only AMD's target ID is read from that structure, since
 * no attribute has it.
 */
final class DeviceAttributes {
  /** Offset of {@code gcnArchName} in {@code hipDeviceProp_tR0600}: ROCm 6 and 7. */
  static final int ARCH_NAME_R0600 = 1160;

  /**
   * The same in {@code hipDeviceProp_tR0000}: ROCm 5, and newer ones' function without a suffix.
   */
  static final int ARCH_NAME_R0000 = 396;

  /** Larger than any version of the structure, so that none can write past the end. */
  static final int BLOCK_SIZE = 4096;

  /** Both names are {@code char[256]}. */
  private static final int NAME_SIZE = 256;

  private final DeviceContext device;
  private final HipLibrary library;
  private final Hip hip;

  private DeviceAttributes(DeviceContext device) {
    this.device = device;
    this.library = device.library();
    this.hip = library.functions();
  }

  /**
   * Reads all properties.
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
        attributes.limits(),
        new ComputeUnits(
            attributes.get(DeviceAttribute.MULTIPROCESSOR_COUNT),
            attributes.get(DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR),
            attributes.get(DeviceAttribute.CLOCK_RATE)),
        attributes.get(DeviceAttribute.L2_CACHE_SIZE),
        attributes.get(DeviceAttribute.INTEGRATED) != 0);
  }

  private LaunchLimits limits() {
    // On NVIDIA a function may opt in to more than the common limit.
    DeviceAttribute sharedMemory =
        isNvidia()
            ? DeviceAttribute.SHARED_MEMORY_PER_BLOCK_OPTIN
            : DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK;
    return new LaunchLimits(
        get(sharedMemory),
        get(DeviceAttribute.MAX_REGISTERS_PER_BLOCK),
        get(DeviceAttribute.MAX_THREADS_PER_BLOCK),
        new Dim3(
            get(DeviceAttribute.MAX_BLOCK_DIM_X),
            get(DeviceAttribute.MAX_BLOCK_DIM_Y),
            get(DeviceAttribute.MAX_BLOCK_DIM_Z)),
        new Dim3(
            get(DeviceAttribute.MAX_GRID_DIM_X),
            get(DeviceAttribute.MAX_GRID_DIM_Y),
            get(DeviceAttribute.MAX_GRID_DIM_Z)));
  }

  private String name() {
    byte[] name = new byte[NAME_SIZE];
    device.check("hipDeviceGetName", hip.hipDeviceGetName(name, name.length, device.ordinal()));
    return HipLibrary.text(name);
  }

  private String archName() {
    if (isNvidia()) {
      return "sm_%d%d"
          .formatted(
              get(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR),
              get(DeviceAttribute.COMPUTE_CAPABILITY_MINOR));
    }
    return archName(
            "hipGetDevicePropertiesR0600",
            PlatformCalls::hipGetDevicePropertiesR0600,
            ARCH_NAME_R0600)
        .or(
            () ->
                archName(
                    "hipGetDeviceProperties",
                    PlatformCalls::hipGetDeviceProperties,
                    ARCH_NAME_R0000))
        .orElse("");
  }

  /** Fills a block with one version's layout. */
  private interface Query {
    int of(PlatformCalls calls, byte[] block, int ordinal);
  }

  /** Returns the name at an offset, unless the runtime lacks the function or has another layout. */
  private Optional<String> archName(String function, Query query, int offset) {
    if (!library.has(function)) {
      return Optional.empty();
    }
    byte[] block = new byte[BLOCK_SIZE];
    device.check(function, query.of(library.platformCalls(), block, device.ordinal()));
    return Optional.of(HipLibrary.text(Arrays.copyOfRange(block, offset, offset + NAME_SIZE)))
        .filter(name -> name.startsWith("gfx"));
  }

  private boolean isNvidia() {
    return library.platform() == Platform.NVIDIA;
  }

  private long memory() {
    long[] bytes = new long[1];
    device.check("hipDeviceTotalMem", hip.hipDeviceTotalMem(bytes, device.ordinal()));
    return bytes[0];
  }

  private int get(DeviceAttribute attribute) {
    int[] value = new int[1];
    int number = attribute.number(library.platform());
    device.check(
        "hipDeviceGetAttribute", hip.hipDeviceGetAttribute(value, number, device.ordinal()));
    return value[0];
  }
}
