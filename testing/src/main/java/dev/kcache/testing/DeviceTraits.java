// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.binding.DeviceAttribute;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a device says of itself. But for target and memory, these are round numbers that no card
 * has.
 *
 * @param target the target ID
 * @param memoryBytes the size of its memory
 */
record DeviceTraits(TargetId target, long memoryBytes) {
  static final int COMPUTE_UNITS = 64;
  static final int SHARED_MEMORY = 64 << 10;
  static final int MOST_THREADS = 1024;

  private static final Map<Integer, Integer> ATTRIBUTES = new HashMap<>();

  static {
    put(DeviceAttribute.CLOCK_RATE, 1_000_000);
    put(DeviceAttribute.INTEGRATED, 0);
    put(DeviceAttribute.L2_CACHE_SIZE, 4 << 20);
    put(DeviceAttribute.MAX_BLOCK_DIM_X, MOST_THREADS);
    put(DeviceAttribute.MAX_BLOCK_DIM_Y, MOST_THREADS);
    put(DeviceAttribute.MAX_BLOCK_DIM_Z, MOST_THREADS);
    put(DeviceAttribute.MAX_GRID_DIM_X, Integer.MAX_VALUE);
    put(DeviceAttribute.MAX_GRID_DIM_Y, 65_536);
    put(DeviceAttribute.MAX_GRID_DIM_Z, 65_536);
    put(DeviceAttribute.MAX_THREADS_PER_BLOCK, MOST_THREADS);
    put(DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR, 2 * MOST_THREADS);
    put(DeviceAttribute.MULTIPROCESSOR_COUNT, COMPUTE_UNITS);
    put(DeviceAttribute.MAX_REGISTERS_PER_BLOCK, 65_536);
    put(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK, SHARED_MEMORY);
    put(DeviceAttribute.MEMORY_POOLS_SUPPORTED, 1);
  }

  private static void put(DeviceAttribute attribute, int value) {
    ATTRIBUTES.put(attribute.number(Platform.AMD), value);
  }

  /** Returns an attribute by its number in {@code hipDeviceAttribute_t}; null if unknown. */
  @Nullable Integer attribute(int number) {
    return number == DeviceAttribute.WARP_SIZE.number(Platform.AMD)
        ? Integer.valueOf(wavefrontSize())
        : ATTRIBUTES.get(number);
  }

  /** GCN and CDNA have wavefronts of 64 threads, RDNA by default of 32. */
  private int wavefrontSize() {
    return target.processor().toString().matches("gfx1\\d{3}") ? 32 : 64;
  }

  /** Of {@code gfx90a} it is 90, of {@code gfx1100} 110. */
  int binaryVersion() {
    String processor = target.processor().toString();
    return Integer.parseInt(processor.substring("gfx".length(), processor.length() - 1));
  }

  String name() {
    return "kcache stand-in GPU";
  }
}
