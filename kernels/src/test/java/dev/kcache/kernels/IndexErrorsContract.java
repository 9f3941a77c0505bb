// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.HipStream;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What operations that take indices refuse, and what they report of the indices. */
abstract class IndexErrorsContract extends OperationsContract {
  private static final Set<String> SAMPLES = Set.of("f32", "bf16", "i64");

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.INDEX)).units().stream()
        .filter(unit -> SAMPLES.contains(unit.type()))
        .toList();
  }

  private void assertReported(String operation, String index, long extent) {
    assertThatThrownBy(() -> operations.check(stream))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage(
            "%s: index %s is out of range for a dimension of %d elements",
            operation, index, extent);
    operations.check(stream);
  }

  @ParameterizedTest
  @EnumSource(names = {"I64", "I32", "U32", "U8"})
  void take_indexOutOfRange_givesZeroAndIsReportedOnce(DType type) {
    boolean signed = type == DType.I64 || type == DType.I32;
    long lowest = type == DType.I64 ? Long.MIN_VALUE : type == DType.I32 ? Integer.MIN_VALUE : 255;
    for (long bad : new long[] {lowest, signed ? -1 : 200, 4, 5}) {
      DeviceTensor indices = tensor(type, i -> i == 1 ? bad : 3 - i, 3);
      // With rows of a pack, and without.
      for (int row : new int[] {4, 3}) {
        Values values = Values.addends(DType.F32, 1, 4, row);
        DeviceTensor x = tensor(DType.F32, i -> values.bits()[(int) i], 4, row);
        ResultTensor out = result(DType.F32, 3, row);
        operations.indexing().indexSelect(x, 0, indices, out.tensor(), stream);
        long[] expected = new long[3 * row];
        System.arraycopy(values.bits(), 3 * row, expected, 0, row);
        System.arraycopy(values.bits(), row, expected, 2 * row, row);
        assertThat(bits(out)).isEqualTo(expected);
        assertReported("indexSelect", Long.toString(bad), 4);
      }
    }
  }

  @Test
  void gatherAndEmbedding_indexOutOfRange_areReported() {
    DeviceTensor table = tensor(DType.BF16, i -> 1, 0, 8);
    ResultTensor out = result(DType.BF16, 1, 8);
    operations.indexing().embedding(table, tensor(DType.I32, i -> 0, 1), out.tensor(), stream);
    assertThat(bits(out)).containsOnly(0);
    assertReported("embedding", "0", 0);
    DeviceTensor x = tensor(DType.BF16, i -> 5, 2, 3);
    ResultTensor one = result(DType.BF16, 1, 2);
    operations
        .indexing()
        .gather(x, 1, tensor(DType.I64, i -> i == 0 ? 2 : 1L << 40, 1, 2), one.tensor(), stream);
    assertThat(bits(one)).containsExactly(5, 0);
    assertReported("gather", Long.toString(1L << 40), 3);
  }

  @ParameterizedTest
  @EnumSource(names = {"I64", "I32", "U32", "U8"})
  void add_indexOutOfRange_isSkippedAndReportedOnce(DType type) {
    boolean signed = type == DType.I64 || type == DType.I32;
    long lowest = type == DType.I64 ? Long.MIN_VALUE : type == DType.I32 ? Integer.MIN_VALUE : 255;
    for (long bad : new long[] {lowest, signed ? -1 : 200, 2, 3}) {
      DeviceTensor indices = tensor(type, i -> i == 1 ? bad : 1, 3);
      DeviceTensor source = numbers(DType.I64, new double[] {10, 20, 30}, 3);
      ResultTensor out = result(DType.I64, 2);
      out.tensor().buffer().copyFrom(Elements.bytes(DType.I64, 2, i -> i + 1));
      operations.indexing().scatterAdd(out.tensor(), 0, indices, source, stream);
      assertThat(bits(out)).containsExactly(1, 42);
      assertReported("scatterAdd", Long.toString(bad), 2);
      operations.indexing().indexAdd(out.tensor(), 0, indices, source, stream);
      assertThat(bits(out)).containsExactly(1, 82);
      assertReported("indexAdd", Long.toString(bad), 2);
    }
  }

  @Test
  void check_otherStreamsAndOperations_reportsThisStreams() {
    DeviceTensor x = numbers(DType.F32, new double[] {1, 2}, 2);
    DeviceTensor bad = tensor(DType.I32, i -> 9, 1);
    DeviceTensor good = tensor(DType.I32, i -> 1, 1);
    Operations others = Operations.on(manager());
    try (HipStream other = manager().device().createStream();
        HipStream unused = manager().device().createStream()) {
      operations.indexing().gather(x, 0, good, result(DType.F32, 1).tensor(), stream);
      others.indexing().gather(x, 0, bad, result(DType.F32, 1).tensor(), other);
      operations.indexing().gather(x, 0, good, result(DType.F32, 1).tensor(), other);
      operations.check(stream);
      operations.check(unused);
      assertThatThrownBy(() -> operations.check(other))
          .isInstanceOf(IndexOutOfBoundsException.class);
      others.check(other);
    }
  }

  @Test
  void check_manyBadIndices_reportsOneWhole() {
    Values indices = Values.indices(1, 1000, 5000);
    DeviceTensor bad = tensor(DType.I64, i -> 100 + indices.bits()[(int) i], 5000);
    DeviceTensor x = numbers(DType.F32, new double[3], 3);
    operations.indexing().gather(x, 0, bad, result(DType.F32, 5000).tensor(), stream);
    assertThatThrownBy(() -> operations.check(stream))
        .hasMessageMatching("gather: index 1?\\d{3} is out of range for a dimension of 3 elements");
  }

  @Test
  void indexing_whatDoesNotFit_namesTheOperationAndTheTensor() {
    Indexing indexing = operations.indexing();
    DeviceTensor x = numbers(DType.F32, new double[6], 2, 3);
    DeviceTensor out = numbers(DType.F32, new double[8], 4, 2);
    DeviceTensor indices = numbers(DType.I64, new double[4], 4);
    DeviceTensor pairs = indices.withLayout(Layout.of(2, 2));
    assertRefused(
        () -> indexing.indexSelect(x, 2, indices, out, stream),
        "indexSelect: x has no dimension 2: it has 2, counted from 0");
    assertRefused(
        () -> indexing.indexSelect(x, 0, pairs, out, stream),
        "indexSelect: indices must have 1 dimension, and the layout is [2, 2]");
    assertRefused(
        () -> indexing.indexSelect(x, 0, indices, out, stream),
        "indexSelect: out has the shape [4, 2] and must have [4, 3]");
    assertRefused(
        () -> indexing.embedding(x, x, out, stream),
        "embedding: indices are f32 and must be integers");
    assertRefused(
        () -> indexing.embedding(indices, indices, out, stream),
        "embedding: out is f32 and must be i64");
    assertRefused(
        () -> indexing.gather(x, 0, indices.withLayout(Layout.of(1, 4)), out, stream),
        "gather: indices have 4 elements along dimension 1, and x has 3");
    assertRefused(
        () -> indexing.scatterAdd(out, 0, pairs, x.withLayout(Layout.of(6, 1)), stream),
        "scatterAdd: indices have 2 elements along dimension 1, and source has 1");
    assertRefused(
        () -> indexing.indexAdd(out, 1, indices, x, stream),
        "indexAdd: source has the shape [2, 3] and must have [4, 4]");
    assertRefused(
        () -> indexing.scatterAdd(out, 0, pairs, out, stream), "scatterAdd: out overlaps source");
    assertRefused(
        () -> indexing.gather(x, 0, pairs, x.withLayout(Layout.of(2, 2)), stream),
        "gather: out overlaps x");
    assertRefused(
        () -> indexing.gather(x, 0, pairs, out.withLayout(Layout.of(2, 2).transpose(0, 1)), stream),
        "gather: out must be contiguous, and is [2, 2] with strides [1, 2]");
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
