// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A layout as lines along some of its axes.
 *
 * @param starts the layout of the lines' first elements: the other axes
 * @param line the layout of a line: these axes
 */
record Lines(Layout starts, Layout line) {

  static Lines along(Layout layout, int... axes) {
    boolean[] along = new boolean[layout.rank()];
    for (int axis : axes) {
      if (along[axis]) {
        throw new IllegalArgumentException("axis %d is given twice".formatted(axis));
      }
      along[axis] = true;
    }
    int[] others = IntStream.range(0, layout.rank()).filter(d -> !along[d]).toArray();
    int[] sorted = axes.clone();
    Arrays.sort(sorted);
    return new Lines(part(layout, others), part(layout, sorted));
  }

  private static Layout part(Layout layout, int[] axes) {
    long[] shape = Arrays.stream(axes).mapToLong(layout::extent).toArray();
    if (layout.count() == 0) {
      // Kernels add strides to addresses also where they read nothing.
      return Layout.strided(shape, new long[axes.length], 0);
    }
    long[] strides = Arrays.stream(axes).mapToLong(layout::stride).toArray();
    return Layout.strided(shape, strides, layout.offset());
  }

  /** Returns the shape with extents of 1 in place of the axes. */
  static long[] withOnes(Layout layout, int... axes) {
    long[] shape = layout.shape();
    for (int axis : axes) {
      shape[axis] = 1;
    }
    return shape;
  }
}
