// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a device is and can do, as {@code hipDeviceProp_t} has it.
 *
 * @param name the marketing name, such as {@code AMD Instinct MI210}; may be empty
 * @param archName the target ID as the runtime writes it ({@code gcnArchName}), such as {@code
 *     gfx90a:sramecc+:xnack-}
 * @param memoryBytes the device's memory, in bytes
 * @param sharedMemoryBytes the most shared memory (LDS) of a block, in bytes
 * @param registersPerBlock the most 32-bit registers of a block
 * @param wavefrontSize the threads of a wavefront
 * @param maxThreadsPerBlock the most threads of a block
 * @param maxBlockDims the most threads of a block along each dimension
 * @param maxGridDims the most blocks of a grid along each dimension
 * @param clockRateKhz the highest clock rate, in kHz
 * @param computeUnits the compute units
 * @param maxThreadsPerComputeUnit the most threads that one compute unit holds
 * @param l2CacheBytes the L2 cache, in bytes
 * @param integrated whether the device shares the host's memory (an APU)
 */
public record DeviceProperties(
    String name,
    String archName,
    long memoryBytes,
    long sharedMemoryBytes,
    int registersPerBlock,
    int wavefrontSize,
    int maxThreadsPerBlock,
    Dim3 maxBlockDims,
    Dim3 maxGridDims,
    int clockRateKhz,
    int computeUnits,
    int maxThreadsPerComputeUnit,
    int l2CacheBytes,
    boolean integrated) {

  /** More than any version's structure takes, so that no version can write past its end. */
  private static final int BLOCK_SIZE = 4096;

  /** Both names are {@code char[256]}. */
  private static final int NAME_SIZE = 256;

  static DeviceProperties read(DeviceContext device) {
    HipLibrary library = device.library();
    byte[] block = new byte[BLOCK_SIZE];
    if (library.has("hipGetDevicePropertiesR0600")) {
      device.check(
          "hipGetDevicePropertiesR0600",
          library.functions().hipGetDevicePropertiesR0600(block, device.ordinal()));
      return Layout.R0600.read(block);
    }
    device.check(
        "hipGetDeviceProperties",
        library.functions().hipGetDeviceProperties(block, device.ordinal()));
    return Layout.R0000.read(block);
  }

  /**
   * Where the fields are, in bytes. Found with {@code offsetof} in the headers of the versions that
   * the names stand for: {@code hipDeviceProp_tR0600} of ROCm 6 and 7, {@code hipDeviceProp_t} of
   * ROCm 5.
   */
  private record Layout(
      int totalGlobalMem,
      int sharedMemPerBlock,
      int regsPerBlock,
      int warpSize,
      int maxThreadsPerBlock,
      int maxThreadsDim,
      int maxGridSize,
      int clockRate,
      int multiProcessorCount,
      int l2CacheSize,
      int maxThreadsPerMultiProcessor,
      int integrated,
      int gcnArchName) {
    static final Layout R0600 =
        new Layout(288, 296, 304, 308, 320, 324, 336, 348, 388, 616, 624, 396, 1160);
    static final Layout R0000 =
        new Layout(256, 264, 272, 276, 280, 284, 296, 308, 336, 340, 344, 652, 396);

    DeviceProperties read(byte[] block) {
      ByteBuffer fields = ByteBuffer.wrap(block).order(ByteOrder.nativeOrder());
      return new DeviceProperties(
          text(block, 0),
          text(block, gcnArchName),
          fields.getLong(totalGlobalMem),
          fields.getLong(sharedMemPerBlock),
          fields.getInt(regsPerBlock),
          fields.getInt(warpSize),
          fields.getInt(maxThreadsPerBlock),
          dim3(fields, maxThreadsDim),
          dim3(fields, maxGridSize),
          fields.getInt(clockRate),
          fields.getInt(multiProcessorCount),
          fields.getInt(maxThreadsPerMultiProcessor),
          fields.getInt(l2CacheSize),
          fields.getInt(integrated) != 0);
    }

    private static Dim3 dim3(ByteBuffer fields, int offset) {
      return new Dim3(fields.getInt(offset), fields.getInt(offset + 4), fields.getInt(offset + 8));
    }

    private static String text(byte[] block, int offset) {
      int size = 0;
      while (size < NAME_SIZE && block[offset + size] != 0) {
        size++;
      }
      return new String(block, offset, size, UTF_8);
    }
  }
}
