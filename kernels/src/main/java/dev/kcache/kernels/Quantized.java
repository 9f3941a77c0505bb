// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The operations on quantized weights, which {@link Operations#quantized} gives. Results are the
 * same bits on every GPU; {@code quantized.hip} says which.
 *
 * <pre>
 * QuantizedMatrix weights = new QuantizedMatrix(buffer, QuantFormat.Q4_K, 4096, 14336);
 * operations.quantized().matVec(weights, x, y, stream); // x has 14,336 elements, y has 4,096
 * </pre>
 *
 * <p>Errors, cost and concurrency are those of {@link Operations}.
 */
public final class Quantized {
  private static final List<DType> TYPES = List.of(DType.F32, DType.F16, DType.BF16);
  private static final int BLOCK_SIZE = 256;

  /** As many weights as a thread dequantizes at once. */
  private static final int PACK = 4;

  /** {@code block_size} of {@code quantized.hip}. */
  private static final int MATVEC_BLOCK_SIZE = 128;

  /** As many as run at once; another number is right, but slower. */
  private static final int BLOCKS_OF_COMPUTE_UNIT = 4;

  private static final String DEQUANTIZE = "quantized_dequantize_";
  private static final String MATVEC = "quantized_matvec_";

  private final KernelManager kernels;
  private final Checks dequantizeChecks;
  private final Checks matVecChecks;
  private final Map<DType, FunctionTable> dequantize = new EnumMap<>(DType.class);
  private final Map<DType, FunctionTable> matVec = new EnumMap<>(DType.class);

  Quantized(KernelManager kernels) {
    this.kernels = kernels;
    dequantizeChecks = new Checks("dequantize", kernels.device());
    matVecChecks = new Checks("matVec", kernels.device());
    for (DType type : TYPES) {
      dequantize.put(type, new FunctionTable(kernels, Family.QUANTIZED, DEQUANTIZE + type));
      matVec.put(type, new FunctionTable(kernels, Family.QUANTIZED, MATVEC + type));
    }
  }

  /** Returns what the units are of, such as {@code f32_q4_0}. */
  static List<String> types() {
    return TYPES.stream()
        .flatMap(type -> Stream.of(QuantFormat.values()).map(format -> type + "_" + format))
        .toList();
  }

  /** Returns the names of the kernels of a unit. */
  static Stream<String> kernelsOf(String type) {
    return Stream.of(DEQUANTIZE + type, MATVEC + type);
  }

  /**
   * Computes the weights in f32 and rounds them to the type of {@code out}. Only the difference of
   * {@link QuantFormat#Q4_K} rounds in f32; all else is exact.
   *
   * @param weights what to read
   * @param out contiguous, of {@link DType#F32}, {@link DType#F16} or {@link DType#BF16}, of as
   *     many rows and columns as the weights; apart from them
   * @param stream where to launch
   */
  public void dequantize(QuantizedMatrix weights, DeviceTensor out, HipStream stream) {
    requireNonNull(weights, "weights");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    Checks checks = dequantizeChecks;
    checkType(checks, "out", out);
    checks.shape("out", out, weights.rows(), weights.columns());
    checkResult(checks, "out", out, weights);
    long count = out.layout().count();
    LoadedKernel kernel = requireNonNull(dequantize.get(out.type())).get(weights.format());
    kernel.launch(
        count / PACK,
        BLOCK_SIZE,
        stream,
        kernel.arguments(3).set(0, count).set(1, weights.buffer()).set(2, out.start()));
  }

  /**
   * Computes {@code y[row] = sum of weights[row][column] * x[column]}. Products and sums are made
   * in f32, in an order that depends on nothing but the number of columns. With e = 2<sup>-24</sup>
   * and n = columns / 4096 + 40, the error is at most n e / (1 - n e) times the sum of |weight *
   * x|, before {@code y} is rounded to its type. A weight of q4_0, q4_k and q6_k is a difference,
   * of which both terms count by their absolute values. That holds unless something overflows or
   * gets subnormal on the way, where {@code x} times 2<sup>-24</sup> and its products with the
   * integers of a block and their sums are, too. An infinite {@code x} gives an infinity or NaN.
   *
   * @param weights of as many columns as {@code x} has elements
   * @param x contiguous, of {@link DType#F32}, {@link DType#F16} or {@link DType#BF16}
   * @param y contiguous, of the same type, of as many elements as the weights have rows; apart from
   *     {@code x} and the weights
   * @param stream where to launch
   */
  public void matVec(QuantizedMatrix weights, DeviceTensor x, DeviceTensor y, HipStream stream) {
    requireNonNull(weights, "weights");
    requireNonNull(x, "x");
    requireNonNull(y, "y");
    requireNonNull(stream, "stream");
    Checks checks = matVecChecks;
    checkType(checks, "x", x);
    checks.type("y", y, x.type());
    checks.shape("x", x, weights.columns());
    checks.shape("y", y, weights.rows());
    checks.onDevice("x", x);
    checks.contiguous("x", x);
    checkResult(checks, "y", y, weights);
    checks.disjoint("x", x, "y", y);
    LoadedKernel kernel = requireNonNull(matVec.get(x.type())).get(weights.format());
    long blocks =
        (long) BLOCKS_OF_COMPUTE_UNIT * kernels.device().properties().computeUnits().count();
    kernel.launch(
        Math.min(blocks, weights.rows()) * MATVEC_BLOCK_SIZE,
        MATVEC_BLOCK_SIZE,
        stream,
        kernel
            .arguments(5)
            .set(0, weights.rows())
            .set(1, weights.columns())
            .set(2, weights.buffer())
            .set(3, x.start())
            .set(4, y.start()));
  }

  private static void checkType(Checks checks, String name, DeviceTensor tensor) {
    if (!TYPES.contains(tensor.type())) {
      throw checks.failure("%s is %s and must be one of %s".formatted(name, tensor.type(), TYPES));
    }
  }

  private static void checkResult(
      Checks checks, String name, DeviceTensor result, QuantizedMatrix weights) {
    checks.onDevice("weights", weights.buffer());
    checks.onDevice(name, result);
    checks.contiguous(name, result);
    checks.disjoint("weights", weights.buffer(), weights.bytes(), name, result);
  }
}
