// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The one address space of all devices of a stand-in. Addresses of devices are made up, never used
 * twice, and have a gap behind each allocation, so that none leads into another.
 */
final class Memory {
  private static final long FIRST = 0x1000_0000_0000L;

  /** What a runtime aligns allocations to, and the least gap. */
  private static final long ALIGNMENT = 4096;

  private final TreeMap<Long, Region> regions = new TreeMap<>();
  private long next = FIRST;

  /** A place in a region. */
  record Place(Region region, long offset) {}

  /**
   * Allocates memory of a device.
   *
   * @param ofModule whether it is a variable of a module
   */
  Region allocate(int device, long size, boolean ofModule) {
    Region region = Region.ofDevice(device, next, size, ofModule);
    next += (size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    regions.put(region.address(), region);
    return region;
  }

  /** Allocates memory of the host, at its real address. */
  Region allocatePinned(long size) {
    if (size > Integer.MAX_VALUE) {
      throw new StandInError(
          StandInError.OUT_OF_MEMORY, "the stand-in pins at most 2 GiB at once, not " + size);
    }
    ByteBuffer memory;
    try {
      memory = ByteBuffer.allocateDirect((int) size);
    } catch (OutOfMemoryError e) {
      throw new StandInError(StandInError.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
    }
    Region region = Region.ofHost(HipLibrary.address(memory), memory);
    regions.put(region.address(), region);
    return region;
  }

  /** Frees what begins at an address. */
  Region free(long address) {
    Region region = regions.remove(address);
    if (region == null) {
      throw new StandInError(
          StandInError.INVALID_VALUE, "no allocation begins at 0x" + Long.toHexString(address));
    }
    region.free();
    return region;
  }

  /** Returns where an address leads; null if nowhere. */
  @Nullable Place find(long address) {
    Map.Entry<Long, Region> entry = regions.floorEntry(address);
    return entry != null && address - entry.getKey() < entry.getValue().size()
        ? new Place(entry.getValue(), address - entry.getKey())
        : null;
  }

  /**
   * Returns where a copy begins.
   *
   * @throws StandInError with {@link StandInError#INVALID_VALUE} if not all of it is in one
   *     allocation
   */
  Place require(long address, long size) {
    Place place = find(address);
    if (place == null || size < 0 || size > place.region().size() - place.offset()) {
      String where =
          place == null
              ? "an allocation"
              : "the %s, of which %d are there"
                  .formatted(place.region(), place.region().size() - place.offset());
      throw new StandInError(
          StandInError.INVALID_VALUE,
          "%d bytes at 0x%x are not in %s".formatted(size, address, where));
    }
    return place;
  }

  Collection<Region> regions() {
    return regions.values();
  }

  void clear() {
    regions.values().forEach(Region::free);
    regions.clear();
  }
}
