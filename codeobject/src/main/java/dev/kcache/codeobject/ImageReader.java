// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Little-endian reads at absolute offsets of an untrusted image. A read that leaves the image is a
 * {@link MalformedCodeObjectException}; unsigned 64-bit fields above {@link Long#MAX_VALUE} come
 * out negative, and {@link #requireInside} refuses those, so no sum of checked values overflows.
 */
final class ImageReader {
  private final ByteBuffer image;

  ImageReader(ByteBuffer image) {
    this.image = image.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  long size() {
    return image.capacity();
  }

  int u8(long offset, String what) {
    return image.get(start(offset, Byte.BYTES, what)) & 0xff;
  }

  int u16(long offset, String what) {
    return image.getShort(start(offset, Short.BYTES, what)) & 0xffff;
  }

  long u32(long offset, String what) {
    return image.getInt(start(offset, Integer.BYTES, what)) & 0xffff_ffffL;
  }

  long u64(long offset, String what) {
    return image.getLong(start(offset, Long.BYTES, what));
  }

  /** Returns a copy of {@code size} bytes. */
  byte[] bytes(long offset, long size, String what) {
    byte[] bytes = new byte[(int) requireInside(offset, offset, size, what)];
    image.get((int) offset, bytes);
    return bytes;
  }

  /** Returns {@code size} bytes as text, one character each. */
  String text(long offset, long size, String what) {
    return new String(bytes(offset, size, what), ISO_8859_1);
  }

  /**
   * Returns the text, one character each, from {@code offset} to the first NUL before {@code end}.
   */
  String terminatedText(long offset, long end, String what) {
    long last = offset;
    while (last < end && u8(last, what) != 0) {
      last++;
    }
    if (last == end) {
      throw new MalformedCodeObjectException(offset, what + " must end in NUL");
    }
    return text(offset, last - offset, what);
  }

  /** Returns a read-only view of {@code size} bytes. */
  ByteBuffer view(long offset, long size, String what) {
    requireInside(offset, offset, size, what);
    return image.slice((int) offset, (int) size).asReadOnlyBuffer();
  }

  /** Returns whether the image starts with the given bytes, one character each. */
  boolean startsWith(String bytes) {
    return size() >= bytes.length() && text(0, bytes.length(), "the magic").equals(bytes);
  }

  /**
   * Returns {@code size} if that many bytes at {@code offset} lie inside the image.
   *
   * @param field the offset of the field to blame
   */
  long requireInside(long field, long offset, long size, String what) {
    if (offset < 0 || size < 0 || offset > size() || size > size() - offset) {
      throw new MalformedCodeObjectException(
          field,
          "%s (%s bytes at offset %s) must lie inside the image of %d bytes"
              .formatted(what, Long.toUnsignedString(size), Long.toUnsignedString(offset), size()));
    }
    return size;
  }

  /** Refuses a field that has not its only value. */
  static void require(long field, String what, long expected, long actual) {
    if (expected != actual) {
      throw new MalformedCodeObjectException(
          field, "%s must be %d, is %s".formatted(what, expected, Long.toUnsignedString(actual)));
    }
  }

  private int start(long offset, int size, String what) {
    requireInside(Math.min(offset, size()), offset, size, what);
    return (int) offset;
  }
}
