// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.ElfImage.Segment;
import java.util.List;

/**
 * The memory that an image takes once it is loaded: one block for all segments, from address 0.
 *
 * @param segments those that are loaded, in order
 */
record LoadedMemory(List<Segment> segments) {
  /** Returns where it ends. */
  long end() {
    return segments.get(segments.size() - 1).end();
  }

  /** Returns whether a byte lies in it. */
  boolean holds(long address) {
    return address >= segments.get(0).address() && address < end();
  }

  /**
   * Refuses what does not lie in the memory. What has no bytes needs a place for one all the same,
   * since the loader looks for its address.
   */
  void require(long field, String what, long address, long size) {
    long start = segments.get(0).address();
    long end = end();
    long needed = Math.max(size, 1);
    if (address < start || size < 0 || needed > end - start || address > end - needed) {
      throw new MalformedCodeObjectException(
          field,
          "%s (%s bytes at 0x%x) must lie in loaded memory, 0x%x to 0x%x",
          what,
          Long.toUnsignedString(size),
          address,
          start,
          end);
    }
  }

  /** Returns whether a section's byte at an address is the one that its segment loads there. */
  boolean loads(ElfSection section, long address) {
    long base = section.offset() - section.address();
    return segments.stream()
        .anyMatch(
            segment -> segment.holds(address, 1) && segment.offset() - segment.address() == base);
  }
}
