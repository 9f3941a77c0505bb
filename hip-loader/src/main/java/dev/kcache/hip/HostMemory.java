// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.List;
import java.util.function.Function;

/**
 * The remaining elements of a buffer, as bytes of the host's memory. Reads the buffer's position
 * once and does not change it.
 */
final class HostMemory {
  /** Copies elements between two buffers. */
  private interface Put<B> {
    void apply(B to, int index, B from, int offset, int length);
  }

  /**
   * A type of elements.
   *
   * @param size of an element, in bytes
   * @param order the order of the bytes of an element
   * @param view shows bytes as such elements
   */
  private record Elements<B extends Buffer>(
      Class<B> type,
      int size,
      Function<B, ByteOrder> order,
      Function<ByteBuffer, B> view,
      Put<B> put) {

    static Elements<?> of(Buffer buffer) {
      return TYPES.stream().filter(one -> one.type.isInstance(buffer)).findFirst().orElseThrow();
    }

    ByteOrder orderOf(Buffer buffer) {
      return order.apply(type.cast(buffer));
    }

    void read(Buffer buffer, int index, int length, ByteBuffer chunk) {
      put.apply(view.apply(chunk), 0, type.cast(buffer), index, length);
    }

    void write(Buffer buffer, int index, int length, ByteBuffer chunk) {
      put.apply(type.cast(buffer), index, view.apply(chunk), 0, length);
    }
  }

  private static final List<Elements<?>> TYPES =
      List.of(
          new Elements<>(
              ByteBuffer.class, 1, any -> ByteOrder.nativeOrder(), b -> b, ByteBuffer::put),
          new Elements<>(
              ShortBuffer.class,
              2,
              ShortBuffer::order,
              ByteBuffer::asShortBuffer,
              ShortBuffer::put),
          new Elements<>(
              CharBuffer.class, 2, CharBuffer::order, ByteBuffer::asCharBuffer, CharBuffer::put),
          new Elements<>(
              IntBuffer.class, 4, IntBuffer::order, ByteBuffer::asIntBuffer, IntBuffer::put),
          new Elements<>(
              FloatBuffer.class,
              4,
              FloatBuffer::order,
              ByteBuffer::asFloatBuffer,
              FloatBuffer::put),
          new Elements<>(
              LongBuffer.class, 8, LongBuffer::order, ByteBuffer::asLongBuffer, LongBuffer::put),
          new Elements<>(
              DoubleBuffer.class,
              8,
              DoubleBuffer::order,
              ByteBuffer::asDoubleBuffer,
              DoubleBuffer::put));

  private final Buffer buffer;
  private final Elements<?> type;
  private final int first;
  private final int elements;

  private HostMemory(Buffer buffer) {
    this.buffer = buffer;
    this.type = Elements.of(buffer);
    this.first = buffer.position();
    this.elements = buffer.remaining();
  }

  /**
   * Returns the source of a copy.
   *
   * @throws IllegalArgumentException if the elements are not in native order
   */
  static HostMemory source(Buffer buffer) {
    HostMemory memory = new HostMemory(buffer);
    ByteOrder order = memory.type.orderOf(buffer);
    if (order != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          "the buffer's elements are in %s order, the device's in %s: call order(ByteOrder.nativeOrder()) on the ByteBuffer before a view of it is made"
              .formatted(order, ByteOrder.nativeOrder()));
    }
    return memory;
  }

  /**
   * Returns the target of a copy.
   *
   * @throws IllegalArgumentException if it is read-only, or the elements are not in native order
   */
  static HostMemory target(Buffer buffer) {
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("a read-only buffer cannot be copied to");
    }
    return source(buffer);
  }

  /**
   * Checks that a copy may outlast the call.
   *
   * @throws IllegalArgumentException if the memory is on the Java heap
   */
  void requireDirect() {
    if (!isDirect()) {
      throw new IllegalArgumentException(
          "a copy on a stream needs memory outside of the Java heap: use HipDevice.allocatePinned"
              + " or ByteBuffer.allocateDirect, or copy without a stream");
    }
  }

  /** Returns the buffer, which keeps the memory alive. */
  Buffer buffer() {
    return buffer;
  }

  boolean isDirect() {
    return buffer.isDirect();
  }

  long bytes() {
    return (long) elements * type.size;
  }

  /**
   * Returns the address of the first byte; {@link #buffer()} must stay reachable while it is used.
   */
  long address() {
    return HipLibrary.address(buffer) + (long) first * type.size;
  }

  /** Copies {@code count} bytes from {@code offset} on to the start of {@code chunk}. */
  void read(long offset, int count, ByteBuffer chunk) {
    type.read(buffer, index(offset), count / type.size, chunk);
  }

  /** Copies {@code count} bytes from the start of {@code chunk} to {@code offset}. */
  void write(long offset, int count, ByteBuffer chunk) {
    type.write(buffer, index(offset), count / type.size, chunk);
  }

  private int index(long offset) {
    return first + (int) (offset / type.size);
  }
}
