// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations on quantized weights, against weights that Java reads from the same bytes. */
abstract class QuantizedContract extends OperationsContract {
  private static final List<DType> TYPES = List.of(DType.F32, DType.F16, DType.BF16);

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(Set.of(Family.QUANTIZED)).units();
  }

  /** Returns a matrix whose memory begins some bytes behind an address that 16 divides. */
  private QuantizedMatrix matrix(
      QuantFormat format, QuantBlocks blocks, long rows, long columns, int shift) {
    byte[] bytes = blocks.bytes();
    DeviceBuffer buffer = allocate(bytes.length + shift).slice(shift, bytes.length);
    buffer.copyFrom(bytes);
    return new QuantizedMatrix(buffer, format, rows, columns);
  }

  @ParameterizedTest
  @EnumSource
  void dequantize_awkwardBlocks_areTheFormats(QuantFormat format) {
    assertDequantized(format, QuantBlocks.awkward(format), 1);
  }

  @ParameterizedTest
  @EnumSource
  void dequantize_arbitraryBytes_areTheFormats(QuantFormat format) {
    for (int rows : isRealGpu() ? new int[] {0, 1, 3, 257, 10_007} : new int[] {0, 1, 3, 257}) {
      assertDequantized(format, QuantBlocks.arbitrary(format, rows, new Random(rows)), rows);
    }
  }

  private void assertDequantized(QuantFormat format, QuantBlocks blocks, int rows) {
    float[] weights = blocks.weights();
    long columns = rows == 0 ? format.blockElements() : weights.length / rows;
    for (DType type : TYPES) {
      FloatingPoint number = (FloatingPoint) Arithmetic.of(type);
      for (int shift : new int[] {0, 2}) {
        ResultTensor out =
            shift == 0 ? result(type, rows, columns) : shiftedResult(type, rows, columns);
        operations
            .quantized()
            .dequantize(matrix(format, blocks, rows, columns, shift), out.tensor(), stream);
        long[] bits = bits(out);
        for (int i = 0; i < weights.length; i++) {
          if (number.specified(bits[i]) != number.specified(number.encode(weights[i]))) {
            assertThat(number.decode(bits[i]))
                .as("weight %d of %s as %s", i, format, type)
                .isEqualTo(number.decode(number.encode(weights[i])));
            assertThat(bits[i]).isEqualTo(number.encode(weights[i]));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void matVec_anyShape_isWithinTheBound(QuantFormat format) {
    long[] widths = {0, format.blockElements(), 256, 2304, 4352};
    for (long rows : new long[] {0, 1, 3, 257}) {
      for (long columns : widths) {
        if (isRealGpu() || rows * columns < 700_000) {
          assertMatVec(format, rows, columns, DType.F32, 0);
        }
      }
    }
    if (isRealGpu()) {
      assertMatVec(format, 4099, 8192 + 256, DType.F32, 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void matVec_halves_areRoundedOnce(QuantFormat format) {
    assertMatVec(format, 33, 512, DType.F16, 0);
    assertMatVec(format, 33, 512, DType.BF16, 2);
  }

  @ParameterizedTest
  @EnumSource
  void matVec_otherAddresses_changeNoBit(QuantFormat format) {
    assertThat(assertMatVec(format, 5, 1280, DType.F32, 2))
        .isEqualTo(assertMatVec(format, 5, 1280, DType.F32, 0))
        .isEqualTo(assertMatVec(format, 5, 1280, DType.F32, 0));
  }

  /**
   * Multiplies arbitrary weights, and returns the result's bits.
   *
   * @param shift bytes that weights, {@code x} and {@code y} are off, in elements for the latter
   */
  private long[] assertMatVec(QuantFormat format, long rows, long columns, DType type, int shift) {
    FloatingPoint number = (FloatingPoint) Arithmetic.of(type);
    Random random = new Random(rows + columns);
    QuantBlocks blocks =
        QuantBlocks.finite(format, rows * (columns / format.blockElements()), random);
    double[] x = new double[Math.toIntExact(columns) + shift];
    for (int k = shift; k < x.length; k++) {
      x[k] = number.decode(number.encode(random.nextGaussian()));
    }
    DeviceTensor vector =
        numbers(type, x, x.length).withLayout(Layout.of(x.length).slice(0, shift, x.length));
    ResultTensor y = shift == 0 ? result(type, rows) : shiftedResult(type, rows);
    operations
        .quantized()
        .matVec(matrix(format, blocks, rows, columns, shift), vector, y.tensor(), stream);
    long[] bits = bits(y);
    float[] weights = blocks.weights();
    float[] magnitudes = blocks.magnitudes();
    double e = Math.scalb(1.0, -24);
    double n = columns / 4096.0 + 40;
    for (int row = 0; row < rows; row++) {
      double exact = 0;
      double sum = 0;
      for (int k = 0; k < columns; k++) {
        int i = (int) (row * columns + k);
        exact += weights[i] * x[k + shift];
        sum += magnitudes[i] * Math.abs(x[k + shift]);
      }
      double bound = n * e / (1 - n * e) * sum;
      // Rounding does not change an order.
      assertThat(number.decode(bits[row]))
          .as("row %d of %d x %d, %s and %s", row, rows, columns, format, type)
          .isBetween(
              number.decode(number.encode(exact - bound)),
              number.decode(number.encode(exact + bound)));
    }
    return bits;
  }

  /** Rows of an odd number of small blocks, and of less than a whole word at their ends. */
  @ParameterizedTest
  @EnumSource
  void matVec_scaleOfTheNextRow_changesNothing(QuantFormat format) {
    int rows = 7;
    int columns = 3 * format.blockElements();
    QuantBlocks blocks = QuantBlocks.finite(format, 3L * rows, new Random(columns));
    byte[] bytes = blocks.bytes();
    for (int row = 1; row < rows; row += 2) {
      for (int offset : QuantBlocks.scales(format)) {
        bytes[3 * row * format.blockBytes() + offset + 1] = 0x7e; // NaN
      }
    }
    double[] x = new double[columns];
    Arrays.fill(x, 1);
    ResultTensor y = result(DType.F32, rows);
    operations
        .quantized()
        .matVec(
            matrix(format, blocks, rows, columns, 0),
            numbers(DType.F32, x, columns),
            y.tensor(),
            stream);
    double[] sums = numbers(y);
    for (int row = 0; row < rows; row++) {
      assertThat(Double.isNaN(sums[row])).as("row %d", row).isEqualTo(row % 2 == 1);
    }
  }

  @Test
  void matVec_infinityTimesZero_isNaN() {
    QuantBlocks blocks = new QuantBlocks(QuantFormat.Q8_0, new byte[34]);
    double[] x = new double[32];
    x[17] = Double.POSITIVE_INFINITY;
    ResultTensor y = result(DType.F32, 1);
    QuantizedMatrix zeros = matrix(QuantFormat.Q8_0, blocks, 1, 32, 0);
    operations.quantized().matVec(zeros, numbers(DType.F32, x, 32), y.tensor(), stream);
    assertThat(numbers(y)).containsExactly(Double.NaN);
  }

  @Test
  void operations_whatDoesNotFit_namesIt() {
    Quantized quantized = operations.quantized();
    DeviceBuffer memory = allocate(36 + 256);
    QuantizedMatrix weights = new QuantizedMatrix(memory, QuantFormat.Q4_0, 2, 32);
    DeviceTensor two = numbers(DType.F32, new double[2], 2);
    DeviceTensor wide = numbers(DType.F32, new double[32], 32);
    assertThatThrownBy(() -> quantized.matVec(weights, two, wide, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("matVec: x has the shape [2] and must have [32]");
    assertThatThrownBy(() -> quantized.matVec(weights, wide, wide, stream))
        .hasMessage("matVec: y has the shape [32] and must have [2]");
    DeviceTensor doubles = numbers(DType.F64, new double[64], 2, 32);
    assertThatThrownBy(() -> quantized.dequantize(weights, doubles, stream))
        .hasMessage("dequantize: out is f64 and must be one of [f32, f16, bf16]");
    DeviceTensor inside = DeviceTensor.of(memory, DType.F32, 2, 32);
    assertThatThrownBy(() -> quantized.dequantize(weights, inside, stream))
        .hasMessage("dequantize: out overlaps weights");
    DeviceTensor x = DeviceTensor.of(allocate(128), DType.F32, 32);
    DeviceTensor start = DeviceTensor.of(x.buffer(), DType.F32, 2);
    assertThatThrownBy(() -> quantized.matVec(weights, x, start, stream))
        .hasMessage("matVec: y overlaps x");
    DeviceTensor backwards = x.withLayout(Layout.strided(new long[] {32}, new long[] {-1}, 31));
    assertThatThrownBy(() -> quantized.matVec(weights, backwards, two, stream))
        .hasMessage("matVec: x must be contiguous, and is [32] with strides [-1] at 31");
  }

  @Test
  void matrix_ofNoSuchShape_isRefused() {
    DeviceBuffer memory = allocate(144);
    assertThat(new QuantizedMatrix(memory, QuantFormat.Q4_0, 2, 128).bytes()).isEqualTo(144);
    assertThatThrownBy(() -> new QuantizedMatrix(memory, QuantFormat.Q4_0, 3, 96))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("3 rows of 96 columns of q4_0 need 54 bytes each, and the buffer has 144");
    assertThatThrownBy(() -> new QuantizedMatrix(memory, QuantFormat.Q4_K, 1, 32))
        .hasMessage("32 columns are no multiple of the 256 weights in a block of q4_k");
    assertThatThrownBy(() -> new QuantizedMatrix(memory, QuantFormat.Q8_0, -1, 32))
        .hasMessage(
            "a quantized matrix has 0 rows or more of less than 2^31 columns, not -1 of 32");
    assertThatThrownBy(() -> new QuantizedMatrix(memory, QuantFormat.Q8_0, 1, 1L << 31))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @EnumSource
  void matrix_atAnOddAddress_isRefused(QuantFormat format) {
    DeviceBuffer odd = allocate(256).slice(1, 255);
    assertThat(new QuantizedMatrix(odd, format, 0, 256).bytes()).isZero();
    assertThat(new QuantizedMatrix(odd, format, 3, 0).bytes()).isZero();
    assertThatThrownBy(() -> new QuantizedMatrix(odd, format, 1, format.blockElements()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a quantized matrix must start at an address that 2 divides: slice the buffer at one, or copy it to one");
  }
}
