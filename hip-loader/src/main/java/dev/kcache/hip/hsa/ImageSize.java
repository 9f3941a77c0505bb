// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import com.sun.jna.Pointer;

/**
 * The size of an ELF image in memory by what its own tables claim. The image was checked, and
 * {@code hipModuleLoadData} is not given its size.
 */
final class ImageSize {
  private static final int HEADER = 64;
  private static final int SEGMENT = 56;
  private static final int SECTION = 64;
  private static final int NO_BITS = 8;

  private ImageSize() {}

  static long of(long address) {
    Pointer image = new Pointer(address);
    long segments = image.getLong(32);
    long sections = image.getLong(40);
    int segmentCount = Short.toUnsignedInt(image.getShort(56));
    int sectionCount = Short.toUnsignedInt(image.getShort(60));
    long size = HEADER;
    size = Math.max(size, segments + (long) segmentCount * SEGMENT);
    size = Math.max(size, sections + (long) sectionCount * SECTION);
    for (int i = 0; i < segmentCount; i++) {
      long at = segments + (long) i * SEGMENT;
      size = Math.max(size, image.getLong(at + 8) + image.getLong(at + 32));
    }
    for (int i = 0; i < sectionCount; i++) {
      long at = sections + (long) i * SECTION;
      if (image.getInt(at + 4) != NO_BITS) {
        size = Math.max(size, image.getLong(at + 24) + image.getLong(at + 32));
      }
    }
    return size;
  }
}
