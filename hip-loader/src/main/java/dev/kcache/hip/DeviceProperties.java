// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.util.List;
import java.util.Optional;

/** The properties of a device, as in {@code hipDeviceProp_t}. */
public final class DeviceProperties {
  private final String name;
  private final String archName;
  private final long memoryBytes;
  private final int wavefrontSize;
  private final LaunchLimits limits;
  private final ComputeUnits computeUnits;
  private final int l2CacheBytes;
  private final boolean integrated;

  DeviceProperties(
      String name,
      String archName,
      long memoryBytes,
      int wavefrontSize,
      LaunchLimits limits,
      ComputeUnits computeUnits,
      int l2CacheBytes,
      boolean integrated) {
    this.name = name;
    this.archName = archName;
    this.memoryBytes = memoryBytes;
    this.wavefrontSize = wavefrontSize;
    this.limits = limits;
    this.computeUnits = computeUnits;
    this.l2CacheBytes = l2CacheBytes;
    this.integrated = integrated;
  }

  /** {@return the marketing name, such as {@code AMD Instinct MI210}; may be empty} */
  public String name() {
    return name;
  }

  /**
   * {@return the target ID as the runtime writes it ({@code gcnArchName}), such as {@code
   * gfx90a:sramecc+:xnack-}, or {@code sm_90} after NVIDIA's compute capability; empty if the
   * runtime is one that doesn't say}
   */
  public String archName() {
    return archName;
  }

  /** {@return the device's memory, in bytes} */
  public long memoryBytes() {
    return memoryBytes;
  }

  /** {@return the threads of a wavefront (NVIDIA's warp)} */
  public int wavefrontSize() {
    return wavefrontSize;
  }

  /** {@return what a launch may ask for} */
  public LaunchLimits limits() {
    return limits;
  }

  /** {@return the compute units (NVIDIA's multiprocessors)} */
  public ComputeUnits computeUnits() {
    return computeUnits;
  }

  /** {@return the L2 cache, in bytes} */
  public int l2CacheBytes() {
    return l2CacheBytes;
  }

  /** {@return whether the device shares the host's memory (an APU)} */
  public boolean integrated() {
    return integrated;
  }

  /**
   * The limits of a launch.
   *
   * @param sharedMemoryBytes the most shared memory (LDS) of a block, in bytes
   * @param registersPerBlock the most 32-bit registers of a block
   * @param maxThreadsPerBlock the most threads of a block
   * @param maxBlockDims the most threads of a block along each dimension
   * @param maxGridDims the most blocks of a grid along each dimension
   */
  public record LaunchLimits(
      long sharedMemoryBytes,
      int registersPerBlock,
      int maxThreadsPerBlock,
      Dim3 maxBlockDims,
      Dim3 maxGridDims) {}

  /**
   * The compute units of a device.
   *
   * @param count the number of compute units
   * @param maxThreads the most threads that one of them holds
   * @param clockRateKhz the highest clock rate, in kHz
   */
  public record ComputeUnits(int count, int maxThreads, int clockRateKhz) {}

  /**
   * Reads the properties of a device.
   *
   * @throws HipException if the runtime fails
   * @throws UnsupportedDeviceException if it reports nonsense
   */
  static DeviceProperties read(DeviceContext device) {
    DeviceProperties properties = DeviceAttributes.read(device);
    properties
        .flaw()
        .ifPresent(
            flaw -> {
              throw new UnsupportedDeviceException(
                  "the runtime gives device %d %s; is its library whole?"
                      .formatted(device.ordinal(), flaw));
            });
    return properties;
  }

  /** Returns a property that no device can have. */
  private Optional<String> flaw() {
    if (Integer.bitCount(wavefrontSize) != 1 || wavefrontSize < 0) {
      return Optional.of("wavefronts of " + wavefrontSize + " threads");
    }
    Dim3 block = limits.maxBlockDims();
    Dim3 grid = limits.maxGridDims();
    if (limits.maxThreadsPerBlock() <= 0 || !isPositive(block) || !isPositive(grid)) {
      return Optional.of(
          "blocks of at most %d threads, %s, and grids of at most %s blocks"
              .formatted(limits.maxThreadsPerBlock(), block, grid));
    }
    return computeUnits.count() <= 0 || memoryBytes <= 0
        ? Optional.of("%d compute units and %d bytes".formatted(computeUnits.count(), memoryBytes))
        : Optional.empty();
  }

  private static boolean isPositive(Dim3 dims) {
    return dims.x() > 0 && dims.y() > 0 && dims.z() > 0;
  }

  private List<Object> values() {
    return List.of(
        name, archName, memoryBytes, wavefrontSize, limits, computeUnits, l2CacheBytes, integrated);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DeviceProperties that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return "DeviceProperties" + values();
  }
}
