// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.kernels.IndexErrors.Operation;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

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
  private final ThreadLocal<Scratch> scratch;
  private final Map<Operation, Checks> checks = new EnumMap<>(Operation.class);
  private final FunctionTable take;
  private final FunctionTable add;

  Indexing(KernelManager kernels, ThreadLocal<Scratch> scratch) {
    this.kernels = kernels;
    this.scratch = scratch;
    take = new FunctionTable(kernels, Family.INDEX, "index_take");
    add = new FunctionTable(kernels, Family.INDEX, "index_add");
    for (Operation each : Operation.values()) {
      checks.put(each, new Checks(each.toString(), kernels.device()));
    }
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
    long[] shape = scratch.get().shapeOf(x.layout());
    shape[axis] = indices.layout().count();
    checks.shape("out", out, shape);
    LoadedKernel kernel = load(take, x.type(), stream);
    Walk walk = scratch.get().walk(2);
    for (int d = 0; d < x.layout().rank(); d++) {
      boolean picked = d == axis;
      walk.add(
          out.layout().extent(d),
          picked ? 0 : x.layout().stride(d),
          picked ? indices.layout().stride(0) : 0);
    }
    take(Operation.INDEX_SELECT, kernel, x, axis, indices, walk, out, stream);
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
    long[] shape = scratch.get().shape(rank + 1);
    for (int d = 0; d < rank; d++) {
      shape[d] = indices.layout().extent(d);
    }
    shape[rank] = table.layout().extent(1);
    checks.shape("out", out, shape);
    LoadedKernel kernel = load(take, table.type(), stream);
    Walk walk = scratch.get().walk(2);
    for (int d = 0; d < rank; d++) {
      walk.add(out.layout().extent(d), 0, indices.layout().stride(d));
    }
    walk.add(table.layout().extent(1), table.layout().stride(1), 0);
    take(Operation.EMBEDDING, kernel, table, 0, indices, walk, out, stream);
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
    checks.shapeOf("out", out, indices);
    LoadedKernel kernel = load(take, x.type(), stream);
    Walk walk = scratch.get().walk(2);
    for (int d = 0; d < x.layout().rank(); d++) {
      long step = d == axis ? 0 : x.layout().stride(d);
      walk.add(indices.layout().extent(d), step, indices.layout().stride(d));
    }
    take(Operation.GATHER, kernel, x, axis, indices, walk, out, stream);
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
    LoadedKernel kernel = load(add, out.type(), stream);
    Walk lines = scratch.get().walk(3);
    for (int d = 0; d < out.layout().rank(); d++) {
      if (d != axis) {
        lines.add(
            indices.layout().extent(d),
            indices.layout().stride(d),
            source.layout().stride(d),
            out.layout().stride(d));
      }
    }
    add(Operation.SCATTER_ADD, kernel, out, axis, indices, axis, lines, source, stream);
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
    long[] shape = scratch.get().shapeOf(out.layout());
    shape[axis] = indices.layout().count();
    checks.shape("source", source, shape);
    LoadedKernel kernel = load(add, out.type(), stream);
    Walk lines = scratch.get().walk(3);
    for (int d = 0; d < out.layout().rank(); d++) {
      if (d != axis) {
        lines.add(out.layout().extent(d), 0, source.layout().stride(d), out.layout().stride(d));
      }
    }
    add(Operation.INDEX_ADD, kernel, out, axis, indices, 0, lines, source, stream);
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
    Checks checks = requireNonNull(this.checks.get(operation));
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

  /** Loads a kernel, and has memory for its errors. */
  private LoadedKernel load(FunctionTable functions, DType type, HipStream stream) {
    DeviceBuffer unused = kernels.indexErrors().memory(stream);
    return functions.get(type);
  }

  /** Copies what a walk finds in x, at index 0 of the axis, and in the indices. */
  @SuppressWarnings("EnumOrdinal") // Kernels know it by its number.
  private void take(
      Operation operation,
      LoadedKernel kernel,
      DeviceTensor x,
      int axis,
      DeviceTensor indices,
      Walk walk,
      DeviceTensor out,
      HipStream stream) {
    int last = walk.merge().rank() - 1;
    // As index.hip has it.
    boolean rows = last >= 0 && walk.stride(0, last) == 1 && walk.stride(1, last) == 0;
    int pack = rows ? 16 / x.type().bytes() : 1;
    KernelArguments arguments = kernel.arguments(9).set(0, walk.argument());
    arguments.set(1, x.layout().stride(axis)).set(2, x.layout().extent(axis));
    arguments.set(3, code(indices.type())).set(4, operation.ordinal());
    arguments.set(5, x.start()).set(6, indices.start()).set(7, out.start());
    long threads = walk.count() / pack + 1;
    kernels.indexErrors().launch(kernel, threads, BLOCK_SIZE, stream, arguments);
  }

  /**
   * Adds up lines along an axis.
   *
   * @param axisOfIndices which of the indices' dimensions goes along it
   * @param lines of the indices, source and out: their first elements
   */
  @SuppressWarnings("EnumOrdinal") // Kernels know it by its number.
  private void add(
      Operation operation,
      LoadedKernel kernel,
      DeviceTensor out,
      int axis,
      DeviceTensor indices,
      int axisOfIndices,
      Walk lines,
      DeviceTensor source,
      HipStream stream) {
    lines.merge();
    long extent = out.layout().extent(axis);
    long parts = Math.max(1, Math.min(extent, ADDING_THREADS / Math.max(1, lines.count())));
    ByteBuffer alongAxis =
        scratch
            .get()
            .struct()
            .putLong(indices.layout().extent(axisOfIndices))
            .putLong(indices.layout().stride(axisOfIndices))
            .putLong(source.layout().stride(axis))
            .putLong(out.layout().stride(axis))
            .putLong(extent)
            .putLong(parts)
            .flip();
    KernelArguments arguments = kernel.arguments(8).set(0, lines.argument()).set(1, alongAxis);
    arguments.set(2, code(indices.type())).set(3, operation.ordinal());
    arguments.set(4, indices.start()).set(5, source.start()).set(6, out.start());
    long threads = lines.count() * parts;
    kernels.indexErrors().launch(kernel, threads, BLOCK_SIZE, stream, arguments);
  }

  /** Returns a type as {@code IndexType} of {@code index.hip} has it. */
  @SuppressWarnings("EnumOrdinal") // Kernels know it by its number.
  private static int code(DType type) {
    return type.ordinal() - DType.U8.ordinal();
  }
}
