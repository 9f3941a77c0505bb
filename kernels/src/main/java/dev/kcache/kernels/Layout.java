// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Where the elements of a tensor lie: its shape, the stride of each dimension and the offset of the
 * first element, all counted in elements. Dimensions go from the outermost to the innermost. A
 * stride of 0 repeats an element along a dimension, a negative one walks backwards.
 *
 * <pre>{@code
 * Layout rows = Layout.of(3, 4); // 12 elements, row by row
 * Layout columns = rows.transpose(0, 1); // the same elements as 4 rows of 3
 * Layout second = rows.slice(0, 1, 2); // the second row, as 1 row of 4
 * Layout repeated = Layout.of(1, 4).broadcastTo(3, 4); // one row, three times
 * }</pre>
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class Layout {
  /** The most dimensions that kernels take: {@code max_rank} of {@code strided.h}. */
  public static final int MAX_RANK = 8;

  private final long[] shape;
  private final long[] strides;
  private final long offset;
  private final long count;
  private final boolean contiguous;

  private Layout(long[] shape, long[] strides, long offset) {
    this.shape = shape;
    this.strides = strides;
    this.offset = offset;
    count = countOf(shape);
    contiguous = count == 0 || isRowMajor();
    if (count > 0 && first() < 0) {
      throw new IllegalArgumentException(
          "the layout %s begins %d elements before the memory".formatted(this, -first()));
    }
    Math.addExact(last(), 1);
  }

  /**
   * {@return the layout of elements that lie one after the other, row by row, from the start}
   *
   * @param shape the extent of each dimension; none for a single element
   * @throws IllegalArgumentException if there are more than {@value #MAX_RANK} dimensions, an
   *     extent is negative, or the number of elements exceeds 2<sup>63</sup> - 1
   */
  public static Layout of(long... shape) {
    long[] extents = checked(shape);
    return new Layout(extents, rowMajor(extents), 0);
  }

  /**
   * {@return the layout with these strides}
   *
   * @param shape the extent of each dimension
   * @param strides the distance of neighbours in each dimension, in elements
   * @param offset of the element whose indices are all 0, in elements
   * @throws IllegalArgumentException as {@link #of} throws it, and if there are not as many strides
   *     as extents, or an element lies before the start of the memory
   */
  public static Layout strided(long[] shape, long[] strides, long offset) {
    requireNonNull(strides, "strides");
    long[] extents = checked(shape);
    if (strides.length != extents.length) {
      throw new IllegalArgumentException(
          "%d strides do not fit %d dimensions".formatted(strides.length, extents.length));
    }
    return checked(extents, strides.clone(), offset);
  }

  private static Layout checked(long[] shape, long[] strides, long offset) {
    try {
      return new Layout(shape, strides, offset);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "the strides %s of shape %s lead beyond 2^63 elements"
              .formatted(Arrays.toString(strides), Arrays.toString(shape)),
          e);
    }
  }

  private static long[] checked(long[] shape) {
    requireNonNull(shape, "shape");
    if (shape.length > MAX_RANK) {
      throw new IllegalArgumentException(
          "a tensor has at most %d dimensions, not %d".formatted(MAX_RANK, shape.length));
    }
    long[] extents = shape.clone();
    for (long extent : extents) {
      if (extent < 0) {
        throw new IllegalArgumentException(
            "an extent must not be negative: " + Arrays.toString(extents));
      }
    }
    try {
      countOf(extents);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "the shape %s has more than 2^63 - 1 elements".formatted(Arrays.toString(extents)), e);
    }
    return extents;
  }

  private static long countOf(long[] shape) {
    long product = 1;
    for (long extent : shape) {
      if (extent == 0) {
        return 0;
      }
    }
    for (long extent : shape) {
      product = Math.multiplyExact(product, extent);
    }
    return product;
  }

  private static long[] rowMajor(long[] shape) {
    long[] strides = new long[shape.length];
    long stride = 1;
    for (int d = shape.length - 1; d >= 0; d--) {
      strides[d] = stride;
      stride = shape[d] == 0 ? stride : stride * shape[d];
    }
    return strides;
  }

  private boolean isRowMajor() {
    long expected = 1;
    for (int d = shape.length - 1; d >= 0; d--) {
      if (shape[d] != 1 && strides[d] != expected) {
        return false;
      }
      expected *= shape[d];
    }
    return true;
  }

  /** {@return the number of dimensions} */
  public int rank() {
    return shape.length;
  }

  /**
   * {@return the extent of a dimension}
   *
   * @param axis from 0, the outermost
   */
  public long extent(int axis) {
    return shape[axis];
  }

  /**
   * {@return the distance of neighbours along a dimension, in elements}
   *
   * @param axis from 0, the outermost
   */
  public long stride(int axis) {
    return strides[axis];
  }

  /** {@return the offset of the element whose indices are all 0, in elements} */
  public long offset() {
    return offset;
  }

  /** {@return the number of elements, 1 if there is no dimension} */
  public long count() {
    return count;
  }

  /** {@return a copy of the extents} */
  public long[] shape() {
    return shape.clone();
  }

  /** {@return a copy of the strides} */
  public long[] strides() {
    return strides.clone();
  }

  /** {@return whether the elements lie one after the other, row by row, without a gap} */
  public boolean isContiguous() {
    return contiguous;
  }

  /**
   * Returns whether the strides show that no place is met twice: each is longer than the way
   * through all dimensions with shorter ones. They may not show it for dimensions that interlock.
   */
  boolean isDistinct() {
    if (contiguous) {
      return true;
    }
    for (int d = 0; d < shape.length; d++) {
      if (shape[d] > 1 && Math.abs(strides[d]) <= wayWithin(d)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the way through all other dimensions whose strides are no longer than that of one. */
  private long wayWithin(int axis) {
    long way = 0;
    for (int d = 0; d < shape.length; d++) {
      if (d != axis && Math.abs(strides[d]) <= Math.abs(strides[axis])) {
        way += (shape[d] - 1) * Math.abs(strides[d]);
      }
    }
    return way;
  }

  /**
   * {@return whether the other layout has the same extents}
   *
   * @param other whose strides and offset do not matter
   */
  public boolean hasShapeOf(Layout other) {
    return Arrays.equals(shape, requireNonNull(other, "other").shape);
  }

  /** Returns whether this has these extents. */
  boolean hasShape(long... extents) {
    return Arrays.equals(shape, extents);
  }

  /** Returns the lowest offset of an element; the layout's own if there is none. */
  long first() {
    return farthest(-1);
  }

  /** Returns the highest offset of an element; the layout's own if there is none. */
  long last() {
    return farthest(1);
  }

  private long farthest(int direction) {
    long farthest = offset;
    for (int d = 0; count > 0 && d < shape.length; d++) {
      long way = Math.multiplyExact(shape[d] - 1, strides[d]);
      farthest = Math.addExact(farthest, Long.signum(way) == direction ? way : 0);
    }
    return farthest;
  }

  /**
   * {@return this with its dimensions in another order}
   *
   * @param axes for each dimension of the result, which of this layout's it is; each once
   */
  public Layout permute(int... axes) {
    requireNonNull(axes, "axes");
    if (!Arrays.equals(
        Arrays.stream(axes).sorted().toArray(), IntStream.range(0, rank()).toArray())) {
      throw new IllegalArgumentException(
          "%s is no order of %d dimensions".formatted(Arrays.toString(axes), rank()));
    }
    long[] extents = new long[rank()];
    long[] steps = new long[rank()];
    for (int d = 0; d < rank(); d++) {
      extents[d] = shape[axes[d]];
      steps[d] = strides[axes[d]];
    }
    return new Layout(extents, steps, offset);
  }

  /**
   * {@return this with two dimensions exchanged}
   *
   * @param first a dimension, from 0
   * @param second a dimension, from 0
   */
  public Layout transpose(int first, int second) {
    int[] axes = IntStream.range(0, rank()).toArray();
    axes[checkedAxis(first)] = checkedAxis(second);
    axes[second] = first;
    return permute(axes);
  }

  /**
   * {@return a part along one dimension}
   *
   * @param axis the dimension, from 0
   * @param from the first index, inclusive
   * @param to the last index, exclusive
   */
  public Layout slice(int axis, long from, long to) {
    if (from < 0 || from > to || to > shape[checkedAxis(axis)]) {
      throw new IllegalArgumentException(
          "dimension %d has %d elements, which do not include %d to %d"
              .formatted(axis, shape[axis], from, to));
    }
    long[] extents = shape();
    extents[axis] = to - from;
    return new Layout(extents, strides, from == to ? offset : offset + from * strides[axis]);
  }

  /**
   * {@return this in a larger shape: missing outer dimensions and extents of 1 are repeated}
   *
   * @param wanted the shape of the result
   * @throws IllegalArgumentException if another extent differs, or there are more dimensions than
   *     wanted
   */
  public Layout broadcastTo(long... wanted) {
    long[] extents = checked(requireNonNull(wanted, "wanted"));
    requireBroadcast(extents);
    long[] steps = new long[extents.length];
    int added = extents.length - rank();
    for (int d = 0; d < rank(); d++) {
      steps[added + d] = shape[d] == extents[added + d] ? strides[d] : 0;
    }
    return new Layout(extents, steps, offset);
  }

  /**
   * Requires that this can be broadcast to a shape.
   *
   * @throws IllegalArgumentException as {@link #broadcastTo} throws it
   */
  void requireBroadcast(long... wanted) {
    int added = wanted.length - shape.length;
    boolean fits = added >= 0;
    for (int d = 0; fits && d < shape.length; d++) {
      fits = shape[d] == 1 || shape[d] == wanted[added + d];
    }
    if (!fits) {
      throw new IllegalArgumentException(
          "the shape %s does not broadcast to %s"
              .formatted(Arrays.toString(shape), Arrays.toString(wanted)));
    }
  }

  /** Returns the stride along an axis once this is broadcast to that rank. */
  long strideIn(int rank, int axis) {
    int own = axis - (rank - shape.length);
    return own < 0 || shape[own] == 1 ? 0 : strides[own];
  }

  /**
   * {@return this contiguous layout with another shape of as many elements}
   *
   * @param wanted the shape of the result
   * @throws IllegalArgumentException if it has another number of elements, or this is not
   *     contiguous
   */
  public Layout reshape(long... wanted) {
    long[] extents = checked(requireNonNull(wanted, "wanted"));
    if (!contiguous || countOf(extents) != count) {
      throw new IllegalArgumentException(
          "%s cannot be taken for %s: only a contiguous layout of as many elements can"
              .formatted(this, Arrays.toString(extents)));
    }
    return new Layout(extents, rowMajor(extents), offset);
  }

  /**
   * Returns a dimension that this layout has.
   *
   * @throws IllegalArgumentException if it has none of that number
   */
  private int checkedAxis(int axis) {
    if (axis < 0 || axis >= rank()) {
      throw new IllegalArgumentException(
          "there is no dimension %d of %d; they are counted from 0".formatted(axis, rank()));
    }
    return axis;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Layout layout
        && offset == layout.offset
        && Arrays.equals(shape, layout.shape)
        && Arrays.equals(strides, layout.strides);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Arrays.hashCode(shape) + Arrays.hashCode(strides)) + Long.hashCode(offset);
  }

  /**
   * Returns a text such as {@code [3, 4]}, with strides and offset where they are not the usual.
   */
  @Override
  public String toString() {
    String text = Arrays.toString(shape);
    if (!Arrays.equals(strides, rowMajor(shape))) {
      text += " with strides " + Arrays.toString(strides);
    }
    return offset == 0 ? text : text + " at " + offset;
  }
}
