// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operations that take indices, against loops over coordinates. {@link IndexErrorsContract} has
 * what they refuse and report.
 */
abstract class IndexContract extends OperationsContract {
  private static final EnumSet<DType> SAMPLES = EnumSet.of(DType.F32, DType.BF16, DType.I64);
  private static final List<DType> INDEX_TYPES = List.of(DType.I64, DType.I32, DType.U32, DType.U8);

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.INDEX)).units().stream()
        .filter(unit -> SAMPLES.stream().anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  static Stream<DType> indexTypes() {
    return INDEX_TYPES.stream();
  }

  private boolean isTried(DType type) {
    return isRealGpu() || SAMPLES.contains(type);
  }

  private static long[] with(long[] numbers, int index, long value) {
    long[] changed = numbers.clone();
    changed[index] = value;
    return changed;
  }

  private DeviceTensor tensor(DType type, Values values) {
    return tensor(type, i -> values.bits()[(int) i], values.shape());
  }

  /** Returns a tensor of these values that lie in the order of the columns, from the last one. */
  private DeviceTensor scattered(DType type, Values values) {
    long[] shape = values.shape();
    int rank = shape.length;
    long[] strides = new long[rank];
    long stride = 1;
    for (int d = 0; d < rank; d++) {
      strides[d] = stride;
      stride *= shape[d];
    }
    strides[0] = -1;
    Layout layout = Layout.strided(shape, strides, shape[0] - 1);
    long[] memory = new long[values.bits().length];
    for (int i = 0; i < memory.length; i++) {
      long[] at = values.coordinates(i);
      long place = layout.offset();
      for (int d = 0; d < rank; d++) {
        place += at[d] * strides[d];
      }
      memory[(int) place] = values.bits()[i];
    }
    return tensor(type, i -> memory[(int) i], layout);
  }

  /** Returns memory for a result that has these values now. */
  private ResultTensor result(DType type, Values values) {
    ResultTensor result = result(type, values.shape());
    result
        .tensor()
        .buffer()
        .copyFrom(Elements.bytes(type, values.bits().length, i -> values.bits()[(int) i]));
    return result;
  }

  private static long[] gathered(Values x, int axis, Values indices) {
    LongUnaryOperator element =
        i -> {
          long[] at = indices.coordinates((int) i);
          return x.at(with(at, axis, indices.bits()[(int) i]));
        };
    return LongStream.range(0, indices.bits().length).map(element).toArray();
  }

  /** Returns one-dimensional indices, repeated along the other axes of a shape. */
  private static Values repeated(Values indices, int axis, long... shape) {
    Values all = new Values(new long[Math.toIntExact(Layout.of(shape).count())], shape);
    Arrays.setAll(all.bits(), i -> indices.bits()[(int) all.coordinates(i)[axis]]);
    return all;
  }

  private static long[] added(DType type, Values out, int axis, Values indices, Values source) {
    Arithmetic arithmetic = Arithmetic.of(type);
    long[] sums = out.bits().clone();
    for (int i = 0; i < indices.bits().length; i++) {
      long[] at = indices.coordinates(i);
      int place = out.position(with(at, axis, indices.bits()[i]));
      sums[place] = arithmetic.apply(BinaryOperation.ADD, sums[place], source.at(at));
    }
    return sums;
  }

  @ParameterizedTest
  @EnumSource
  void gather_anyAxis_copiesBits(DType type) {
    if (!isTried(type)) {
      return;
    }
    for (int axis = 0; axis < 4; axis++) {
      Values x = Values.random(type, axis, 3, 4, 5, 6);
      Values indices = Values.indices(axis, 3 + axis, with(new long[] {2, 4, 3, 5}, axis, 7));
      for (DType indexType : INDEX_TYPES) {
        ResultTensor out = shiftedResult(type, indices.shape());
        operations
            .indexing()
            .gather(tensor(type, x), axis, tensor(indexType, indices), out.tensor(), stream);
        assertThat(bits(out))
            .as("%s by %s along %d", type, indexType, axis)
            .isEqualTo(gathered(x, axis, indices));
      }
      ResultTensor out = result(type, indices.shape());
      operations
          .indexing()
          .gather(scattered(type, x), axis, scattered(DType.I32, indices), out.tensor(), stream);
      assertThat(bits(out)).isEqualTo(gathered(x, axis, indices));
    }
    operations.check(stream);
  }

  @Test
  void gather_oneDimension_isRightForAnyCount() {
    Stream<Integer> counts = Stream.of(0, 1, 31, 32, 33, 63, 64, 65, 1023, 1025);
    Stream<Integer> more = Stream.of((1 << 20) + 7).filter(count -> isRealGpu());
    Stream.concat(counts, more)
        .forEach(
            count -> {
              Values x = Values.random(DType.F32, count, count + 1);
              Values indices = Values.indices(count, count + 1, count);
              ResultTensor out = result(DType.F32, count);
              operations
                  .indexing()
                  .gather(
                      tensor(DType.F32, x), 0, tensor(DType.I64, indices), out.tensor(), stream);
              assertThat(bits(out)).isEqualTo(gathered(x, 0, indices));
            });
    operations.check(stream);
  }

  @ParameterizedTest
  @EnumSource
  void indexSelect_anyAxisAndRow_copiesBits(DType type) {
    if (!isTried(type)) {
      return;
    }
    for (long row : new long[] {1, 3, 16, 48}) {
      for (int axis = 0; axis < 3; axis++) {
        long[] shape = {3, 5, row};
        Values x = Values.random(type, axis, shape);
        Values indices = Values.indices(axis, (int) shape[axis], 9);
        long[] shapeOfOut = with(shape, axis, 9);
        long[] expected = gathered(x, axis, repeated(indices, axis, shapeOfOut));
        ResultTensor aligned = result(type, shapeOfOut);
        ResultTensor shifted = shiftedResult(type, shapeOfOut);
        DeviceTensor places = tensor(DType.I64, indices);
        operations.indexing().indexSelect(tensor(type, x), axis, places, aligned.tensor(), stream);
        operations
            .indexing()
            .indexSelect(
                scattered(type, x), axis, scattered(DType.U8, indices), shifted.tensor(), stream);
        assertThat(bits(aligned)).as("rows of %d along %d", row, axis).isEqualTo(expected);
        assertThat(bits(shifted)).as("rows of %d along %d", row, axis).isEqualTo(expected);
      }
    }
    operations.check(stream);
  }

  /** The rows begin where no pack does. */
  @Test
  void indexSelect_shiftedRows_copiesBits() {
    Values all = Values.random(DType.BF16, 1, 4, 17);
    DeviceTensor table = tensor(DType.BF16, all);
    DeviceTensor rows = table.withLayout(table.layout().slice(1, 1, 17));
    Values indices = Values.indices(1, 4, 6);
    ResultTensor out = result(DType.BF16, 6, 16);
    operations.indexing().indexSelect(rows, 0, tensor(DType.I32, indices), out.tensor(), stream);
    long[] expected =
        LongStream.range(0, 6 * 16)
            .map(i -> all.at(new long[] {indices.bits()[(int) i / 16], i % 16 + 1}))
            .toArray();
    assertThat(bits(out)).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("indexTypes")
  void embedding_indicesOfAnyShape_copiesRows(DType indexType) {
    Values table = Values.random(DType.BF16, 1, 10, 24);
    for (long[] shape : new long[][] {{}, {7}, {2, 3}, {2, 1, 3, 2}}) {
      Values indices = Values.indices(shape.length, 10, shape);
      long[] shapeOfOut = Arrays.copyOf(shape, shape.length + 1);
      shapeOfOut[shape.length] = 24;
      ResultTensor out = result(DType.BF16, shapeOfOut);
      operations
          .indexing()
          .embedding(tensor(DType.BF16, table), tensor(indexType, indices), out.tensor(), stream);
      assertThat(bits(out))
          .isEqualTo(
              Arrays.stream(indices.bits())
                  .flatMap(row -> Arrays.stream(table.bits(), (int) row * 24, (int) row * 24 + 24))
                  .toArray());
    }
    operations.check(stream);
  }

  @ParameterizedTest
  @EnumSource
  void scatterAdd_anyAxis_addsInOrder(DType type) {
    if (!isTried(type)) {
      return;
    }
    for (int axis = 0; axis < 4; axis++) {
      Values out = Values.addends(type, axis, 3, 4, 5, 6);
      Values indices = Values.indices(axis, 3 + axis, with(new long[] {2, 4, 3, 5}, axis, 11));
      Values source = Values.addends(type, axis + 10, with(new long[] {2, 5, 4, 5}, axis, 12));
      long[] expected = added(type, out, axis, indices, source);
      for (DType indexType : INDEX_TYPES) {
        ResultTensor sums = result(type, out);
        operations
            .indexing()
            .scatterAdd(
                sums.tensor(), axis, tensor(indexType, indices), tensor(type, source), stream);
        assertThat(bits(sums)).as("%s by %s along %d", type, indexType, axis).isEqualTo(expected);
      }
      ResultTensor sums = result(type, out);
      operations
          .indexing()
          .scatterAdd(
              sums.tensor(), axis, scattered(DType.I64, indices), scattered(type, source), stream);
      assertThat(bits(sums)).isEqualTo(expected);
    }
    operations.check(stream);
  }

  /** Few lines, so that several threads share each. */
  @Test
  void scatterAdd_oneDimension_isRightForAnyExtent() {
    for (int extent : new int[] {1, 31, 32, 33, 1023, 1025, isRealGpu() ? 300_000 : 2000}) {
      int count = Math.min(3 * extent, 3000);
      Values out = Values.addends(DType.F32, 1, extent);
      Values indices = Values.indices(extent, extent, count);
      Values source = Values.addends(DType.F32, 2, count);
      ResultTensor sums = result(DType.F32, out);
      operations
          .indexing()
          .scatterAdd(
              sums.tensor(), 0, tensor(DType.I32, indices), tensor(DType.F32, source), stream);
      assertThat(bits(sums)).isEqualTo(added(DType.F32, out, 0, indices, source));
    }
  }

  /** More lines than threads that add. */
  @Test
  void scatterAdd_manyLines_isRight() {
    long lines = isRealGpu() ? 200_003 : 1003;
    Values out = Values.addends(DType.F32, 1, 5, lines);
    Values indices = Values.indices(1, 5, 9, lines);
    Values source = Values.addends(DType.F32, 2, 9, lines);
    ResultTensor sums = result(DType.F32, out);
    operations
        .indexing()
        .scatterAdd(
            sums.tensor(), 0, tensor(DType.I64, indices), tensor(DType.F32, source), stream);
    assertThat(bits(sums)).isEqualTo(added(DType.F32, out, 0, indices, source));
  }

  @ParameterizedTest
  @EnumSource
  void indexAdd_anyAxis_addsInOrder(DType type) {
    if (!isTried(type)) {
      return;
    }
    for (int axis = 0; axis < 3; axis++) {
      long[] shape = {3, 4, 5};
      Values out = Values.addends(type, axis, shape);
      Values indices = Values.indices(axis, (int) shape[axis], 13);
      Values source = Values.addends(type, axis + 10, with(shape, axis, 13));
      long[] expected = added(type, out, axis, repeated(indices, axis, source.shape()), source);
      ResultTensor sums = result(type, out);
      ResultTensor scattered = result(type, out);
      DeviceTensor places = tensor(DType.U32, indices);
      operations.indexing().indexAdd(sums.tensor(), axis, places, tensor(type, source), stream);
      operations
          .indexing()
          .indexAdd(scattered.tensor(), axis, places, scattered(type, source), stream);
      assertThat(bits(sums)).isEqualTo(expected);
      assertThat(bits(scattered)).isEqualTo(expected);
    }
    operations.check(stream);
  }

  @Test
  void indexing_nothing_doesNothing() {
    Indexing indexing = operations.indexing();
    DeviceTensor none = tensor(DType.I64, i -> 0, 0);
    DeviceTensor two = numbers(DType.F32, new double[] {1, 2}, 2);
    DeviceTensor noRows = tensor(DType.F32, i -> 0, 0, 2);
    ResultTensor sums = result(DType.F32, new Values(new long[] {7, 8}, 2));
    indexing.indexSelect(two, 0, none, result(DType.F32, 0).tensor(), stream);
    indexing.gather(two, 0, none, result(DType.F32, 0).tensor(), stream);
    indexing.embedding(noRows, none, result(DType.F32, 0, 2).tensor(), stream);
    indexing.scatterAdd(sums.tensor(), 0, none, two, stream);
    indexing.indexAdd(sums.tensor(), 0, none, tensor(DType.F32, i -> 0, 0), stream);
    indexing.indexAdd(
        result(DType.F32, 2, 0).tensor(), 0, none, noRows.withLayout(Layout.of(0, 0)), stream);
    operations.check(stream);
    assertThat(bits(sums)).containsExactly(7, 8);
  }
}
