// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/**
 * What a thread prepares its launches in, used again for each: launches allocate nothing.
 *
 * <p>Not to be filled before the kernel is loaded: that can call listeners, and wait for a
 * compiler. A wait in a {@link java.util.concurrent.ForkJoinPool} runs other tasks, so either may
 * launch on the same thread.
 */
final class Scratch {
  private static final int LARGEST_STRUCT = 8 * Long.BYTES;

  private final Walk walk = new Walk();
  private final Parts parts = new Parts();
  private final long[][] shapes =
      IntStream.rangeClosed(0, Layout.MAX_RANK + 1).mapToObj(long[]::new).toArray(long[][]::new);
  private final ByteBuffer struct =
      ByteBuffer.allocate(LARGEST_STRUCT).order(ByteOrder.nativeOrder());

  /** Returns the walk, without dimensions; the one before is lost. */
  Walk walk(int operands) {
    return walk.begin(operands);
  }

  /** Returns the parts, to be divided anew. */
  Parts parts() {
    return parts;
  }

  /** Returns room for a shape's extents; overwrites the last shape of the same rank. */
  long[] shape(int rank) {
    return shapes[rank];
  }

  /** Returns a layout's extents, to be changed. */
  long[] shapeOf(Layout layout) {
    long[] shape = shapes[layout.rank()];
    for (int d = 0; d < shape.length; d++) {
      shape[d] = layout.extent(d);
    }
    return shape;
  }

  /** Returns room for a struct's fields. */
  ByteBuffer struct() {
    return struct.clear();
  }
}
