// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import dev.kcache.kernels.IndexErrors.Operation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Operations on the elements that indices name: the result of {@link Operations#indexing}.
 *
 * <pre>
 * operations.indexing().embedding(table, tokens, vectors, stream);
 * operations.check(stream); // waits, and throws if a token is not in the table
 * </pre>
 *
 * <p><b>Indices</b> are of {@link DType#I64}, {@link DType#I32}, {@link DType#U32} or {@link
 * DType#U8} and count from 0. One that is out of range, as every negative one is, reaches no
 * memory: the element that it would give is 0, and the one that it would add is left out. {@link
 * Operations#check} reports it later; no launch waits for that.
 *
 * <p><b>Tensors</b> may have any strides and may be empty, but the result is contiguous and
 * overlaps no operand. Axes count from 0, the outermost.
 *
 * <p><b>Sums</b> are the same from run to run: each element of the result is added to in the order
 * of the axis, in its own type. Integers wrap; {@link DType#F16} and {@link DType#BF16} are rounded
 * after each addition.
 *
 * <p>Errors are those of {@link Operations}. Safe for use by any number of threads.
 */
public final class Indexing {
  private static final int BLOCK_SIZE = 256;

  /** As many threads as keep a large GPU busy with additions that depend on each other. */
  private static final long ADDING_THREADS = 1 << 17;

  private final KernelManager kernels;
  private final FunctionTable take;
  private final FunctionTable add;

  Indexing(KernelManager kernels) {
    this.kernels = kernels;
    take = new FunctionTable(kernels, Family.INDEX, "index_take");
    add = new FunctionTable(kernels, Family.INDEX, "index_add");
  }

  /**
   * Copies slices: {@code out[.., j, ..] = x[.., indices[j], ..]}.
   *
   * @param x of any type
   * @param axis which dimension the indices are of
   * @param indices of one dimension
   * @param out of x's type and shape, but with as many elements along the axis as there are indices
   * @param stream where to launch
   */
  public void indexSelect(
      DeviceTensor x, int axis, DeviceTensor indices, DeviceTensor out, HipStream stream) {
    Checks checks = check(Operation.INDEX_SELECT, "x", x, indices, out, stream);
    checks.axis("x", x, axis);
    checks.rank("indices", indices, 1);
    long[] shape = x.layout().shape();
    shape[axis] = indices.layout().count();
    checks.shape("out", out, shape);
    Layout places = alongAxis(indices.layout(), axis, shape);
    Layout still = still(x.layout(), axis, shape);
    take(Operation.INDEX_SELECT, x, axis, still, indices, places, out, stream);
  }

  /**
   * Copies rows of a table: {@code out[.., :] = table[indices[..], :]}.
   *
   * @param table of any type, with two dimensions
   * @param indices of any shape
   * @param out of the table's type, in the shape of the indices and one dimension more, for the row
   * @param stream where to launch
   */
  public void embedding(
      DeviceTensor table, DeviceTensor indices, DeviceTensor out, HipStream stream) {
    Checks checks = check(Operation.EMBEDDING, "table", table, indices, out, stream);
    checks.rank("table", table, 2);
    int rank = indices.layout().rank();
    long[] shape = Arrays.copyOf(indices.layout().shape(), rank + 1);
    shape[rank] = table.layout().extent(1);
    checks.shape("out", out, shape);
    long[] strides = new long[rank + 1];
    strides[rank] = table.layout().stride(1);
    Layout still = Layout.strided(shape, strides, table.layout().offset());
    Layout places =
        Layout.strided(
            shape, Arrays.copyOf(indices.layout().strides(), rank + 1), indices.layout().offset());
    take(Operation.EMBEDDING, table, 0, still, indices, places, out, stream);
  }

  /**
   * Copies elements: {@code out[.., j, ..] = x[.., indices[.., j, ..], ..]}.
   *
   * @param x of any type
   * @param axis which dimension the indices are of
   * @param indices with as many dimensions as x, and along each but the axis at most as many
   *     elements
   * @param out of x's type, in the shape of the indices
   * @param stream where to launch
   */
  public void gather(
      DeviceTensor x, int axis, DeviceTensor indices, DeviceTensor out, HipStream stream) {
    Checks checks = check(Operation.GATHER, "x", x, indices, out, stream);
    checks.axis("x", x, axis);
    checks.rank("indices", indices, x.layout().rank());
    requireNoLarger(checks, indices, "x", x, axis);
    checks.shape("out", out, indices.layout().shape());
    Layout still = still(x.layout(), axis, indices.layout().shape());
    take(Operation.GATHER, x, axis, still, indices, indices.layout(), out, stream);
  }

  /**
   * Adds elements: {@code out[.., indices[.., j, ..], ..] += source[.., j, ..]}.
   *
   * @param out of any type
   * @param axis which of its dimensions the indices are of
   * @param indices with as many dimensions as out, and along each but the axis at most as many
   *     elements
   * @param source of out's type, with at least as many elements as the indices along each
   *     dimension; those beyond are not read
   * @param stream where to launch
   */
  public void scatterAdd(
      DeviceTensor out, int axis, DeviceTensor indices, DeviceTensor source, HipStream stream) {
    Checks checks = check(Operation.SCATTER_ADD, "source", source, indices, out, stream);
    checks.axis("out", out, axis);
    checks.rank("indices", indices, out.layout().rank());
    checks.rank("source", source, out.layout().rank());
    requireNoLarger(checks, indices, "out", out, axis);
    requireNoLarger(checks, indices, "source", source, -1);
    add(Operation.SCATTER_ADD, out, axis, indices, indices.layout(), source, stream);
  }

  /**
   * Adds slices: {@code out[.., indices[j], ..] += source[.., j, ..]}.
   *
   * @param out of any type
   * @param axis which of its dimensions the indices are of
   * @param indices of one dimension
   * @param source of out's type and shape, but with as many elements along the axis as there are
   *     indices
   * @param stream where to launch
   */
  public void indexAdd(
      DeviceTensor out, int axis, DeviceTensor indices, DeviceTensor source, HipStream stream) {
    Checks checks = check(Operation.INDEX_ADD, "source", source, indices, out, stream);
    checks.axis("out", out, axis);
    checks.rank("indices", indices, 1);
    long[] shape = out.layout().shape();
    shape[axis] = indices.layout().count();
    checks.shape("source", source, shape);
    Layout places = alongAxis(indices.layout(), axis, shape);
    add(Operation.INDEX_ADD, out, axis, indices, places, source, stream);
  }

  /** Checks what all operations require, and returns the checks for the rest. */
  private Checks check(
      Operation operation,
      String name,
      DeviceTensor operand,
      DeviceTensor indices,
      DeviceTensor out,
      HipStream stream) {
    requireNonNull(operand, name);
    requireNonNull(indices, "indices");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    Checks checks = new Checks(operation.toString(), kernels.device());
    checks.onDevice(name, operand);
    checks.onDevice("indices", indices);
    checks.onDevice("out", out);
    checks.type("out", out, operand.type());
    if (indices.type().isFloatingPoint()) {
      throw checks.failure("indices are %s and must be integers".formatted(indices.type()));
    }
    checks.contiguous("out", out);
    checks.disjoint(name, operand, out);
    checks.disjoint("indices", indices, out);
    return checks;
  }

  private static void requireNoLarger(
      Checks checks, DeviceTensor indices, String name, DeviceTensor tensor, int exceptAxis) {
    for (int d = 0; d < indices.layout().rank(); d++) {
      long extent = tensor.layout().extent(d);
      if (d != exceptAxis && indices.layout().extent(d) > extent) {
        throw checks.failure(
            "indices have %d elements along dimension %d, and %s has %d"
                .formatted(indices.layout().extent(d), d, name, extent));
      }
    }
  }

  /** Returns the layout of one-dimensional indices in a shape, of which they are one axis. */
  private static Layout alongAxis(Layout indices, int axis, long[] shape) {
    long[] strides = new long[shape.length];
    strides[axis] = indices.stride(0);
    return Layout.strided(shape, strides, indices.offset());
  }

  /** Returns the layout of x in a shape, without steps along an axis: the indices make those. */
  private static Layout still(Layout x, int axis, long[] shape) {
    long[] strides = x.strides();
    strides[axis] = 0;
    return Layout.strided(shape, strides, x.offset());
  }

  @SuppressWarnings("EnumOrdinal") // Kernels know it by its number.
  private void take(
      Operation operation,
      DeviceTensor x,
      int axis,
      Layout still,
      DeviceTensor indices,
      Layout places,
      DeviceTensor out,
      HipStream stream) {
    Walk walk = new Walk(still, places);
    int last = still.rank() - 1;
    boolean rows = still.stride(last) == 1 && places.stride(last) == 0;
    // As index.hip has it.
    int pack = rows ? 16 / x.type().bytes() : 1;
    LoadedKernel kernel = take.get(x.type());
    kernels
        .indexErrors()
        .launch(
            stream,
            error ->
                kernel.launch(
                    walk.count() / pack + 1,
                    BLOCK_SIZE,
                    stream,
                    kernel
                        .arguments(9)
                        .set(0, walk.argument())
                        .set(1, x.layout().stride(axis))
                        .set(2, x.layout().extent(axis))
                        .set(3, code(indices.type()))
                        .set(4, operation.ordinal())
                        .set(5, x.start())
                        .set(6, indices.start())
                        .set(7, out.start())
                        .set(8, error)));
  }

  @SuppressWarnings("EnumOrdinal") // Kernels know it by its number.
  private void add(
      Operation operation,
      DeviceTensor out,
      int axis,
      DeviceTensor indices,
      Layout places,
      DeviceTensor source,
      HipStream stream) {
    long[] shape = places.shape();
    Walk lines =
        new Walk(
            without(axis, shape, places),
            without(axis, shape, source.layout()),
            without(axis, shape, out.layout()));
    long extent = out.layout().extent(axis);
    long parts = Math.max(1, Math.min(extent, ADDING_THREADS / Math.max(1, lines.count())));
    ByteBuffer alongAxis =
        structure(
            shape[axis],
            places.stride(axis),
            source.layout().stride(axis),
            out.layout().stride(axis),
            extent,
            parts);
    LoadedKernel kernel = add.get(out.type());
    kernels
        .indexErrors()
        .launch(
            stream,
            error ->
                kernel.launch(
                    lines.count() * parts,
                    BLOCK_SIZE,
                    stream,
                    kernel
                        .arguments(8)
                        .set(0, lines.argument())
                        .set(1, alongAxis)
                        .set(2, code(indices.type()))
                        .set(3, operation.ordinal())
                        .set(4, indices.start())
                        .set(5, source.start())
                        .set(6, out.start())
                        .set(7, error)));
  }

  /** Returns a layout's elements of a smaller shape at index 0 of an axis, without that axis. */
  private static Layout without(int axis, long[] shape, Layout layout) {
    return Layout.strided(without(axis, shape), without(axis, layout.strides()), layout.offset());
  }

  private static long[] without(int axis, long[] numbers) {
    return LongStream.concat(
            Arrays.stream(numbers, 0, axis), Arrays.stream(numbers, axis + 1, numbers.length))
        .toArray();
  }

  private static ByteBuffer structure(long... fields) {
    ByteBuffer struct =
        ByteBuffer.allocate(fields.length * Long.BYTES).order(ByteOrder.nativeOrder());
    struct.asLongBuffer().put(fields);
    return struct;
  }

  /** Returns a type as {@code IndexType} of {@code index.hip} has it. */
  @SuppressWarnings("EnumOrdinal") // Kernels know it by its number.
  private static int code(DType type) {
    return type.ordinal() - DType.U8.ordinal();
  }
}
