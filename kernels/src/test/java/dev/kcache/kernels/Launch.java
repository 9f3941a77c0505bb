// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/** A launch of one kernel, as the host program of the tests reads it. */
record Launch(
    String kernel,
    Grid grid,
    Memory left,
    Memory right,
    Memory out,
    boolean inPlace,
    long count,
    Optional<StridedShape> strides) {

  static Launch contiguous(String kernel, Memory left, Memory right, Memory out, long count) {
    return new Launch(kernel, Grid.SMALL, left, right, out, false, count, Optional.empty());
  }

  static Launch strided(
      String kernel, Memory left, Memory right, Memory out, StridedShape strides) {
    return new Launch(
        kernel, Grid.SMALL, left, right, out, false, strides.count(), Optional.of(strides));
  }

  /** Some of the blocks of a grid: from {@code first} to before {@code end}. */
  record Grid(long blocks, int threads, long first, long end) {
    /** Fewer threads than most tests have elements, and not a round number of them. */
    static final Grid SMALL = new Grid(3, 7, 0, 3);
  }

  /**
   * Memory of a kernel.
   *
   * @param bytes what is in it
   * @param shift how far from a 16-byte boundary it starts
   * @param offset where in it the address that the kernel is given points; may lie far outside
   */
  record Memory(ByteBuffer bytes, int shift, long offset) {
    static Memory of(byte[] bytes) {
      return new Memory(ByteBuffer.wrap(bytes), 0, 0);
    }

    Memory shifted(int distance) {
      return new Memory(bytes, distance, offset);
    }
  }

  Launch on(Grid other) {
    return new Launch(kernel, other, left, right, out, inPlace, count, strides);
  }

  /** Returns this launch with the left operand's address for the result's. */
  Launch ontoLeft() {
    return new Launch(kernel, grid, left, right, out, true, count, strides);
  }

  byte[] encode() {
    Encoder encoder = new Encoder();
    encoder.number(kernel.length());
    encoder.bytes(kernel.getBytes(US_ASCII));
    encoder.numbers(List.of(grid.blocks, (long) grid.threads, grid.first, grid.end));
    encoder.numbers(List.of(left.offset, right.offset, inPlace ? left.offset : out.offset));
    encoder.number(inPlace ? 1 : 0);
    for (Memory memory : List.of(left, right, out)) {
      encoder.number(memory.bytes.capacity());
      encoder.number(memory.shift);
      byte[] content = new byte[memory.bytes.capacity()];
      memory.bytes.get(0, content);
      encoder.bytes(content);
    }
    encoder.number(strides.isPresent() ? 1 : 0);
    strides.ifPresentOrElse(shape -> encoder.bytes(shape.argument()), () -> encoder.number(count));
    return encoder.bytes.toByteArray();
  }

  private static final class Encoder {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    void number(long number) {
      bytes.writeBytes(
          ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(number).array());
    }

    void numbers(List<Long> numbers) {
      numbers.forEach(this::number);
    }

    void bytes(byte[] content) {
      bytes.writeBytes(content);
    }
  }
}
