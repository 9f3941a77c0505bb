// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Little-endian reads at absolute offsets of an untrusted image. A read that leaves the image is a
 * {@link MalformedCodeObjectException}; unsigned 64-bit fields above {@link Long#MAX_VALUE} come
 * out negative, and {@link #requireInside} refuses those, so no sum of checked values overflows.
 *
 * <p>A reader also counts the memory that reading its image takes, since a fault may come late in a
 * large image. Call {@link #take} before making objects whose number the image decides. Garbage
 * counts too: so the bound holds at every moment, and it bounds the time as well.
 */
final class ImageReader {
  /**
   * The most memory that reading one image may take, in bytes. A library of 5,000 kernels with 30
   * arguments each takes 32 MB. With the 14 MB that may be copied before they are checked, this
   * stays below 64 MB.
   */
  static final long MOST_MEMORY = 48_000_000;

  /** The most of an image that is copied before what it says was checked, in bytes. */
  static final int MOST_COPIED_UNCHECKED = 14_000_000;

  /** What a text takes beside its characters: a string, and two arrays for a moment. */
  private static final int TEXT_MEMORY = 80;

  private final ByteBuffer image;
  private long memory;

  ImageReader(ByteBuffer image) {
    this(image, MOST_MEMORY);
  }

  /** Creates a reader of an image that may take {@code memory} bytes. */
  ImageReader(ByteBuffer image, long memory) {
    this.image = image.slice().order(ByteOrder.LITTLE_ENDIAN);
    this.memory = memory;
  }

  /** Returns how many bytes of memory may still be taken. */
  long memory() {
    return memory;
  }

  /**
   * Counts memory that is about to be taken.
   *
   * @param field the offset of what needs it
   */
  void take(long field, long bytes, String what) {
    if (bytes > memory) {
      throw new MalformedCodeObjectException(
          field,
          "%s must fit into the %d bytes of memory that reading the image may still take, takes %d",
          what,
          memory,
          bytes);
    }
    memory -= bytes;
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

  /** Copies {@code size} bytes to the start of {@code target}. */
  void copy(long offset, byte[] target, int size, String what) {
    requireInside(offset, offset, size, what);
    image.get((int) offset, target, 0, size);
  }

  /** Returns {@code size} bytes as text, one character each. */
  String text(long offset, long size, String what) {
    requireInside(offset, offset, size, what);
    take(offset, TEXT_MEMORY + 2 * size, what);
    byte[] bytes = new byte[(int) size];
    image.get((int) offset, bytes);
    return new String(bytes, ISO_8859_1);
  }

  /** Returns where the first NUL from {@code offset} to {@code end} is. */
  long terminator(long offset, long end, String what) {
    for (long at = offset; at < end; at++) {
      if (u8(at, what) == 0) {
        return at;
      }
    }
    throw new MalformedCodeObjectException(offset, what + " must end in NUL");
  }

  /** Returns a read-only view of {@code size} bytes. */
  ByteBuffer view(long offset, long size, String what) {
    requireInside(offset, offset, size, what);
    return image.slice((int) offset, (int) size).asReadOnlyBuffer();
  }

  /** Returns whether the given bytes, one character each, are at {@code offset}. */
  boolean has(long offset, String bytes) {
    for (int i = 0; i < bytes.length(); i++) {
      if (u8(offset + i, bytes) != bytes.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Refuses bytes that do not lie inside the image.
   *
   * @param field the offset of the field to blame
   */
  void requireInside(long field, long offset, long size, String what) {
    if (!holds(offset, size)) {
      throw outside(field, offset, size, what);
    }
  }

  /** Returns whether {@code size} bytes at {@code offset} lie inside the image. */
  boolean holds(long offset, long size) {
    return offset >= 0 && size >= 0 && offset <= size() && size <= size() - offset;
  }

  /** Returns the refusal of bytes that do not lie inside the image. */
  MalformedCodeObjectException outside(long field, long offset, long size, String what) {
    return new MalformedCodeObjectException(
        field,
        "%s (%s bytes at offset %s) must lie inside the image of %d bytes",
        what,
        Long.toUnsignedString(size),
        Long.toUnsignedString(offset),
        size());
  }

  /** Refuses a field that lacks the one value it may have. */
  static void require(long field, String what, long expected, long actual) {
    if (expected != actual) {
      throw new MalformedCodeObjectException(
          field, "%s must be %d, is %s", what, expected, Long.toUnsignedString(actual));
    }
  }

  private int start(long offset, int size, String what) {
    if (!holds(offset, size)) {
      throw outside(Math.min(offset, size()), offset, size, what);
    }
    return (int) offset;
  }
}
