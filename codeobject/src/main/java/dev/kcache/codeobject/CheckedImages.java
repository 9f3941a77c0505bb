// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What images said of themselves that were found well-formed lately. The same bytes say the same
 * again, and the digest, which is taken anew each time, tells that they are the same.
 *
 * <p>It has a place for each remainder of a digest, and the last one there stays: so many small
 * images, and no more. Safe for use by any number of threads.
 */
final class CheckedImages {
  private static final int PLACES = 256;

  /** What is larger takes long to digest, beside which the rest is little, and may say much. */
  private static final int MOST_BYTES = 1 << 16;

  private final AtomicReferenceArray<Checked> places = new AtomicReferenceArray<>(PLACES);

  private record Checked(Digest digest, ImageContents contents) {}

  /**
   * Returns what an image says of itself.
   *
   * @param digest of {@code image}, as it is now
   * @throws MalformedCodeObjectException if it is not well-formed
   */
  ImageContents read(Digest digest, ByteBuffer image) {
    int place = Math.floorMod(digest.hashCode(), PLACES);
    Checked known = places.get(place);
    if (known != null && known.digest().equals(digest)) {
      return known.contents();
    }
    ImageContents contents = ImageContents.read(image);
    if (image.capacity() <= MOST_BYTES) {
      places.set(place, new Checked(digest, contents));
    }
    return contents;
  }
}
