// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/** Elements as bit patterns, and as the bytes that a kernel sees. */
final class Elements {
  private final DType type;
  private final ByteBuffer bytes;

  private Elements(DType type, byte[] bytes) {
    this.type = type;
    this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }

  /** Returns as many elements as bytes, each with the bits that are given for its index. */
  static byte[] bytes(DType type, int count, LongUnaryOperator bits) {
    byte[] content = new byte[Math.multiplyExact(count, type.bytes())];
    Elements elements = in(type, content);
    IntStream.range(0, count).parallel().forEach(i -> elements.put(i, bits.applyAsLong(i)));
    return content;
  }

  /** Returns the elements that lie in these bytes. */
  static Elements in(DType type, byte[] content) {
    return new Elements(type, content);
  }

  /** Returns the bits of an element. */
  long get(int index) {
    int at = index * type.bytes();
    return switch (type.bytes()) {
      case 1 -> Byte.toUnsignedLong(bytes.get(at));
      case 2 -> Short.toUnsignedLong(bytes.getShort(at));
      case 4 -> Integer.toUnsignedLong(bytes.getInt(at));
      default -> bytes.getLong(at);
    };
  }

  private void put(int index, long element) {
    int at = index * type.bytes();
    switch (type.bytes()) {
      case 1 -> bytes.put(at, (byte) element);
      case 2 -> bytes.putShort(at, (short) element);
      case 4 -> bytes.putInt(at, (int) element);
      default -> bytes.putLong(at, element);
    }
  }
}
