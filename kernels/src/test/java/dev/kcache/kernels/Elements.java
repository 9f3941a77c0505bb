// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/** Elements as bit patterns, and as the bytes that a kernel sees. */
final class Elements {
  private Elements() {}

  /** Returns the bits of some whole numbers. */
  static List<Long> numbers(ElementType type, int count, LongUnaryOperator number) {
    return LongStream.range(0, count)
        .map(number)
        .map(
            n ->
                Arithmetic.of(type) instanceof FloatingPoint format ? format.encode((double) n) : n)
        .boxed()
        .toList();
  }

  static byte[] bytes(ElementType type, List<Long> elements) {
    byte[] content = new byte[elements.size() * type.bytes()];
    ByteBuffer bytes = buffer(content);
    for (long element : elements) {
      switch (type.bytes()) {
        case 1 -> bytes.put((byte) element);
        case 2 -> bytes.putShort((short) element);
        case 4 -> bytes.putInt((int) element);
        default -> bytes.putLong(element);
      }
    }
    return content;
  }

  static List<Long> of(ElementType type, byte[] content) {
    ByteBuffer bytes = buffer(content);
    List<Long> elements = new ArrayList<>();
    while (bytes.hasRemaining()) {
      elements.add(
          switch (type.bytes()) {
            case 1 -> Byte.toUnsignedLong(bytes.get());
            case 2 -> Short.toUnsignedLong(bytes.getShort());
            case 4 -> Integer.toUnsignedLong(bytes.getInt());
            default -> bytes.getLong();
          });
    }
    return elements;
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }
}
