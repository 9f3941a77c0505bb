// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory that copies and kernels reach by an address: an allocation on a device, or pinned memory
 * of the host. A device's memory takes the host's only where it was used. It begins as bytes of
 * 0xff, which as a {@code float} is NaN, so that use of what nobody wrote shows.
 */
final class Region {
  /** Of pinned memory, which every device reaches. */
  static final int HOST = -1;

  private static final int PAGE_BITS = 20;
  private static final int PAGE = 1 << PAGE_BITS;
  private static final byte UNWRITTEN = (byte) 0xff;

  private final long address;
  private final long size;
  private final int device;
  private final @Nullable ByteBuffer[] pages;
  private final boolean ofModule;
  private boolean freed;

  private Region(long address, long size, int device, boolean ofModule) {
    this.ofModule = ofModule;
    this.address = address;
    this.size = size;
    this.device = device;
    this.pages = new ByteBuffer[(int) ((size + PAGE - 1) >> PAGE_BITS)];
  }

  /**
   * Returns memory of a device.
   *
   * @param ofModule whether it is a variable of a module
   */
  static Region ofDevice(int device, long address, long size, boolean ofModule) {
    return new Region(address, size, device, ofModule);
  }

  /** Returns the memory of a direct buffer. */
  static Region ofHost(long address, ByteBuffer memory) {
    Region region = new Region(address, memory.capacity(), HOST, false);
    for (int i = 0; i < region.pages.length; i++) {
      int at = i << PAGE_BITS;
      region.pages[i] =
          memory.slice(at, Math.min(PAGE, memory.capacity() - at)).order(ByteOrder.nativeOrder());
    }
    return region;
  }

  long address() {
    return address;
  }

  long size() {
    return size;
  }

  int device() {
    return device;
  }

  /** Returns whether an application has to close it; a module has its variables. */
  boolean isCounted() {
    return !ofModule;
  }

  boolean isFreed() {
    return freed;
  }

  /** Forgets the contents; every use from now on is a fault. */
  void free() {
    freed = true;
    Arrays.fill(pages, null);
  }

  private ByteBuffer page(long offset) {
    int index = (int) (offset >> PAGE_BITS);
    ByteBuffer page = pages[index];
    if (page == null) {
      byte[] bytes = new byte[(int) Math.min(PAGE, size - ((long) index << PAGE_BITS))];
      Arrays.fill(bytes, UNWRITTEN);
      page = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
      pages[index] = page;
    }
    return page;
  }

  /** Returns the bytes from an offset to the end of its page, or {@code most} of them. */
  private ByteBuffer piece(long offset, long most) {
    ByteBuffer page = page(offset);
    int at = (int) (offset & (PAGE - 1));
    return page.slice(at, (int) Math.min(most, page.capacity() - at))
        .order(ByteOrder.nativeOrder());
  }

  /** Copies bytes of another region, which may be this one. */
  void copyFrom(long to, Region source, long from, long count) {
    long done = 0;
    while (done < count) {
      ByteBuffer piece = source.piece(from + done, count - done);
      ByteBuffer target = piece(to + done, piece.remaining());
      done += target.remaining();
      target.put(piece.limit(target.remaining()));
    }
  }

  /** Copies the remaining bytes of a buffer. */
  void copyFrom(long to, ByteBuffer source) {
    long at = to;
    while (source.hasRemaining()) {
      ByteBuffer target = piece(at, source.remaining());
      int count = target.remaining();
      target.put(source.slice().limit(count));
      source.position(source.position() + count);
      at += count;
    }
  }

  /** Fills the remaining bytes of a buffer. */
  void copyTo(long from, ByteBuffer target) {
    long at = from;
    while (target.hasRemaining()) {
      ByteBuffer piece = piece(at, target.remaining());
      at += piece.remaining();
      target.put(piece);
    }
  }

  /** Writes a number of 1, 2, 4 or 8 bytes again and again. */
  void fill(long offset, int width, long bits, long count) {
    for (long i = 0; i < count; i++) {
      put(offset + i * width, width, bits);
    }
  }

  /** Returns a number of 1, 2, 4 or 8 bytes, without its sign. */
  long get(long offset, int width) {
    ByteBuffer page = page(offset);
    int at = (int) (offset & (PAGE - 1));
    if (at + width > page.capacity()) {
      ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
      copyTo(offset, number.limit(width));
      return read(number, 0, width);
    }
    return read(page, at, width);
  }

  /** Writes a number of 1, 2, 4 or 8 bytes. */
  void put(long offset, int width, long bits) {
    ByteBuffer page = page(offset);
    int at = (int) (offset & (PAGE - 1));
    if (at + width > page.capacity()) {
      ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
      write(number, 0, width, bits);
      copyFrom(offset, number.limit(width));
    } else {
      write(page, at, width, bits);
    }
  }

  static long read(ByteBuffer from, int at, int width) {
    return switch (width) {
      case Byte.BYTES -> Byte.toUnsignedLong(from.get(at));
      case Short.BYTES -> Short.toUnsignedLong(from.getShort(at));
      case Integer.BYTES -> Integer.toUnsignedLong(from.getInt(at));
      default -> from.getLong(at);
    };
  }

  private static void write(ByteBuffer to, int at, int width, long bits) {
    switch (width) {
      case Byte.BYTES -> to.put(at, (byte) bits);
      case Short.BYTES -> to.putShort(at, (short) bits);
      case Integer.BYTES -> to.putInt(at, (int) bits);
      default -> to.putLong(at, bits);
    }
  }

  /** Returns what it is, such as {@code buffer of 400 bytes on device 0}. */
  @Override
  public String toString() {
    return device == HOST
        ? "pinned buffer of %d bytes".formatted(size)
        : "buffer of %d bytes on device %d".formatted(size, device);
  }
}
