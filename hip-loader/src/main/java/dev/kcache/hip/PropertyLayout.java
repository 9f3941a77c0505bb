// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.hip.DeviceProperties.ComputeUnits;
import dev.kcache.hip.DeviceProperties.LaunchLimits;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where the fields of one version of {@code hipDeviceProp_t} are, in bytes; {@code name} is first
 * in all. The components have the names of C's fields, and a test compares them with {@code
 * offsetof} in the headers of the machine.
 */
record PropertyLayout(
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
  /** {@code hipDeviceProp_tR0600}: ROCm 6 and 7. */
  static final PropertyLayout R0600 =
      new PropertyLayout(288, 296, 304, 308, 320, 324, 336, 348, 388, 616, 624, 396, 1160);

  /** {@code hipDeviceProp_tR0000}: ROCm 5, and in newer libraries the function without a suffix. */
  static final PropertyLayout R0000 =
      new PropertyLayout(256, 264, 272, 276, 280, 284, 296, 308, 336, 340, 344, 652, 396);

  /** More than any version takes, so that none can write past its end. */
  static final int BLOCK_SIZE = 4096;

  /** Both names are {@code char[256]}. */
  private static final int NAME_SIZE = 256;

  /** Reads the fields from a block that the runtime has filled. */
  DeviceProperties read(byte[] block) {
    ByteBuffer fields = ByteBuffer.wrap(block).order(ByteOrder.nativeOrder());
    return new DeviceProperties(
        text(block, 0, NAME_SIZE),
        text(block, gcnArchName, NAME_SIZE),
        fields.getLong(totalGlobalMem),
        fields.getInt(warpSize),
        new LaunchLimits(
            fields.getLong(sharedMemPerBlock),
            fields.getInt(regsPerBlock),
            fields.getInt(maxThreadsPerBlock),
            dim3(fields, maxThreadsDim),
            dim3(fields, maxGridSize)),
        new ComputeUnits(
            fields.getInt(multiProcessorCount),
            fields.getInt(maxThreadsPerMultiProcessor),
            fields.getInt(clockRate)),
        fields.getInt(l2CacheSize),
        fields.getInt(integrated) != 0);
  }

  private static Dim3 dim3(ByteBuffer fields, int offset) {
    return new Dim3(fields.getInt(offset), fields.getInt(offset + 4), fields.getInt(offset + 8));
  }

  /** Returns a C string, which ends at a zero or where its room does. */
  static String text(byte[] bytes, int offset, int room) {
    int size = 0;
    while (size < room && bytes[offset + size] != 0) {
      size++;
    }
    return new String(bytes, offset, size, UTF_8);
  }
}
