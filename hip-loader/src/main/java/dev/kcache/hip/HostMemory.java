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

/**
 * The remaining elements of a buffer, as bytes of the host's memory. The buffer's position is left
 * alone, and looked at once.
 */
final class HostMemory {
  private final Buffer buffer;
  private final int first;
  private final int elements;
  private final int elementSize;

  private HostMemory(Buffer buffer) {
    this.buffer = buffer;
    this.first = buffer.position();
    this.elements = buffer.remaining();
    this.elementSize = elementSize(buffer);
  }

  /**
   * Returns what a copy reads.
   *
   * @throws IllegalArgumentException if the elements are not in native order
   */
  static HostMemory source(Buffer buffer) {
    ByteOrder order = order(buffer);
    if (order != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          "the buffer's elements are in %s order, the device's in %s: call order(ByteOrder.nativeOrder()) on the ByteBuffer before a view of it is made"
              .formatted(order, ByteOrder.nativeOrder()));
    }
    return new HostMemory(buffer);
  }

  /**
   * Returns what a copy writes.
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
   * Returns this, for a copy that goes on after the call.
   *
   * @throws IllegalArgumentException if it is on the Java heap
   */
  HostMemory requireDirect() {
    if (!isDirect()) {
      throw new IllegalArgumentException(
          "a copy on a stream needs memory outside of the Java heap: use HipDevice.allocatePinned or ByteBuffer.allocateDirect, or copy without a stream");
    }
    return this;
  }

  /** Returns the buffer, which the memory is reachable from. */
  Buffer buffer() {
    return buffer;
  }

  boolean isDirect() {
    return buffer.isDirect();
  }

  long bytes() {
    return (long) elements * elementSize;
  }

  /**
   * Returns the address of the first byte; {@link #buffer()} must stay reachable while it is used.
   */
  long address() {
    return HipLibrary.address(buffer) + (long) first * elementSize;
  }

  /** Copies {@code count} bytes from {@code offset} on to the start of {@code chunk}. */
  void read(long offset, int count, ByteBuffer chunk) {
    int at = first + (int) (offset / elementSize);
    int length = count / elementSize;
    if (buffer instanceof ByteBuffer b) {
      chunk.put(0, b, at, length);
    } else if (buffer instanceof ShortBuffer b) {
      chunk.asShortBuffer().put(0, b, at, length);
    } else if (buffer instanceof CharBuffer b) {
      chunk.asCharBuffer().put(0, b, at, length);
    } else if (buffer instanceof IntBuffer b) {
      chunk.asIntBuffer().put(0, b, at, length);
    } else if (buffer instanceof FloatBuffer b) {
      chunk.asFloatBuffer().put(0, b, at, length);
    } else if (buffer instanceof LongBuffer b) {
      chunk.asLongBuffer().put(0, b, at, length);
    } else {
      chunk.asDoubleBuffer().put(0, (DoubleBuffer) buffer, at, length);
    }
  }

  /** Copies {@code count} bytes from the start of {@code chunk} to {@code offset}. */
  void write(long offset, int count, ByteBuffer chunk) {
    int at = first + (int) (offset / elementSize);
    int length = count / elementSize;
    if (buffer instanceof ByteBuffer b) {
      b.put(at, chunk, 0, length);
    } else if (buffer instanceof ShortBuffer b) {
      b.put(at, chunk.asShortBuffer(), 0, length);
    } else if (buffer instanceof CharBuffer b) {
      b.put(at, chunk.asCharBuffer(), 0, length);
    } else if (buffer instanceof IntBuffer b) {
      b.put(at, chunk.asIntBuffer(), 0, length);
    } else if (buffer instanceof FloatBuffer b) {
      b.put(at, chunk.asFloatBuffer(), 0, length);
    } else if (buffer instanceof LongBuffer b) {
      b.put(at, chunk.asLongBuffer(), 0, length);
    } else {
      ((DoubleBuffer) buffer).put(at, chunk.asDoubleBuffer(), 0, length);
    }
  }

  private static int elementSize(Buffer buffer) {
    if (buffer instanceof ByteBuffer) {
      return Byte.BYTES;
    } else if (buffer instanceof ShortBuffer || buffer instanceof CharBuffer) {
      return Short.BYTES;
    } else if (buffer instanceof IntBuffer || buffer instanceof FloatBuffer) {
      return Integer.BYTES;
    }
    return Long.BYTES;
  }

  /** Returns the order of the bytes of an element; bytes themselves have any. */
  private static ByteOrder order(Buffer buffer) {
    if (buffer instanceof ShortBuffer b) {
      return b.order();
    } else if (buffer instanceof CharBuffer b) {
      return b.order();
    } else if (buffer instanceof IntBuffer b) {
      return b.order();
    } else if (buffer instanceof FloatBuffer b) {
      return b.order();
    } else if (buffer instanceof LongBuffer b) {
      return b.order();
    } else if (buffer instanceof DoubleBuffer b) {
      return b.order();
    }
    return ByteOrder.nativeOrder();
  }
}
