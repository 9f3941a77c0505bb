// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.LaunchConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every shipped kernel on its whole way: compiled by the real compiler, cached, loaded, given
 * arguments, launched, and compared with Java.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class CatalogueContract {
  private TestGpu gpu;
  private KernelManager manager;

  /** Returns where to run; may skip the test. */
  abstract TestGpu gpu();

  @BeforeAll
  void open(@TempDir Path directory) throws Exception {
    gpu = gpu();
    gpu.reset();
    gpu.run(KernelCatalog.load(List.of(Family.BINARY)).units());
    manager = KernelManager.builder().environment(gpu.environment(directory)).build();
  }

  @AfterAll
  void close() {
    if (manager != null) {
      manager.close();
      gpu.checkNothingIsLeft();
    }
  }

  /** The last one is of more blocks than one, and on a stand-in, which is slow, of a few. */
  private int[] counts() {
    return new int[] {0, 1, 2, 15, 1013, (gpu.isReal() ? 1 << 16 : 1 << 12) + 1};
  }

  static List<BinaryKernel> contiguous() {
    return kernels(OperandLayout.CONTIGUOUS);
  }

  static List<BinaryKernel> strided() {
    return kernels(OperandLayout.STRIDED);
  }

  private static List<BinaryKernel> kernels(OperandLayout layout) {
    return BinaryKernel.all().filter(kernel -> kernel.layout() == layout).toList();
  }

  static Stream<BinaryKernel> halves() {
    return strided().stream()
        .filter(kernel -> kernel.type() == DType.F16 || kernel.type() == DType.BF16);
  }

  /** Types of each size, each with another operation. */
  static Stream<BinaryKernel> samples() {
    return Stream.concat(contiguous().stream(), strided().stream())
        .filter(
            kernel ->
                switch (kernel.type()) {
                  case F32 -> kernel.operation() == BinaryOperation.ADD;
                  case BF16 -> kernel.operation() == BinaryOperation.MUL;
                  case F16 -> kernel.operation() == BinaryOperation.MINIMUM;
                  case U8 -> kernel.operation() == BinaryOperation.SUB;
                  default -> false;
                });
  }

  @ParameterizedTest
  @MethodSource("contiguous")
  void contiguous_everyPairOfAwkwardValues_isTheReference(BinaryKernel kernel) {
    long[] values = awkward(kernel.type());
    int n = values.length;
    checkContiguous(kernel, i -> values[(int) i / n], i -> values[(int) i % n], n * n, 0);
  }

  @ParameterizedTest
  @MethodSource("strided")
  void strided_everyPairOfAwkwardValues_isTheReference(BinaryKernel kernel) {
    long[] values = awkward(kernel.type());
    LongUnaryOperator operand = i -> values[(int) i];
    checkStrided(kernel, everyPair(values.length, values.length), operand, operand);
  }

  @ParameterizedTest
  @MethodSource("contiguous")
  void contiguous_anyCountAndAlignment_isTheReferenceAndNoMore(BinaryKernel kernel) {
    LongUnaryOperator lefts = mixture(kernel.type(), 1);
    LongUnaryOperator rights = mixture(kernel.type(), 2);
    for (int count : counts()) {
      // Nothing, the left operand, the right one, the result, all of them: one element off.
      for (int shifted : new int[] {0b000, 0b001, 0b010, 0b100, 0b111}) {
        checkContiguous(kernel, lefts, rights, count, shifted);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("strided")
  void strided_anyCountAndShape_isTheReferenceAndNoMore(BinaryKernel kernel) {
    LongUnaryOperator lefts = mixture(kernel.type(), 3);
    LongUnaryOperator rights = mixture(kernel.type(), 4);
    for (int count : counts()) {
      checkStrided(kernel, StridedShape.vector(count, 1, 1), lefts, rights);
      checkStrided(kernel, StridedShape.vector(count, 2, 3), lefts, rights);
      checkStrided(kernel, StridedShape.vector(count, 0, 1), lefts, rights);
      checkStrided(kernel, StridedShape.vector(count, -1, 1), lefts, rights);
      checkStrided(kernel, StridedShape.vector(count, -3, 0), lefts, rights);
    }
    for (StridedShape shape : shapes()) {
      checkStrided(kernel, shape, lefts, rights);
    }
  }

  /** A scalar, nothing, a transposed matrix, a row with a column, backwards, all dimensions. */
  private static List<StridedShape> shapes() {
    List<Long> eight = List.of(2L, 3L, 1L, 2L, 2L, 3L, 2L, 3L);
    return List.of(
        new StridedShape(List.of(), List.of(), List.of()),
        new StridedShape(List.of(3L, 0L, 2L), List.of(2L, 2L, 1L), List.of(1L, 1L, 1L)),
        new StridedShape(List.of(257L, 255L), List.of(255L, 1L), List.of(1L, 257L)),
        everyPair(61, 43),
        new StridedShape(List.of(3L, 5L, 7L), List.of(-35L, 7L, -1L), List.of(0L, -7L, 2L)),
        new StridedShape(
            eight,
            List.of(216L, 72L, 72L, 36L, 18L, 6L, 3L, 1L),
            List.of(1L, 2L, 6L, 6L, 12L, 24L, 72L, 144L)),
        new StridedShape(
            eight,
            List.of(-216L, 72L, 9L, -36L, 18L, -6L, 3L, -1L),
            List.of(0L, 3L, 0L, 0L, 1L, 0L, 9L, -27L)));
  }

  /** A stand-in is slow, so that a few of the right operands do there. */
  @ParameterizedTest
  @MethodSource("halves")
  void sixteenBits_everyValueWithAwkwardOnes_isTheReference(BinaryKernel kernel) {
    long[] values = awkward(kernel.type());
    int rights = gpu.isReal() ? values.length : 2;
    checkStrided(kernel, everyPair(1 << 16, rights), i -> i, i -> values[(int) i]);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void largeArrays_areTheReference(BinaryKernel kernel) {
    LongUnaryOperator lefts = mixture(kernel.type(), 5);
    LongUnaryOperator rights = mixture(kernel.type(), 6);
    int count = gpu.isReal() ? 40_000_003 : 400_003;
    if (kernel.layout() == OperandLayout.CONTIGUOUS) {
      checkContiguous(kernel, lefts, rights, count, 0);
    } else {
      checkStrided(kernel, StridedShape.vector(count, 1, 0), lefts, rights);
    }
  }

  /** One thread, few, whole blocks, more than there are elements, more blocks than fit. */
  @ParameterizedTest
  @EnumSource
  void anyLaunch_isTheReference(OperandLayout layout) {
    BinaryKernel kernel = new BinaryKernel(BinaryOperation.SUB, DType.F32, layout);
    StridedShape shape = StridedShape.vector(4099, 1, 1);
    BinaryRun run = run(kernel, shape, mixture(kernel.type(), 7), mixture(kernel.type(), 8));
    run.on(LaunchConfig.of(1, 1)).check(manager);
    run.on(LaunchConfig.of(3, 7)).check(manager);
    run.on(LaunchConfig.of(1, 1024)).check(manager);
    run.on(LaunchConfig.of(5000, 32)).check(manager);
    run.on(LaunchConfig.of(1_000_000, 1)).check(manager);
  }

  /**
   * @param shifted which memory starts one element off an address that packs start at: bit 0 for
   *     the left operand, 1 for the right one, 2 for the result
   */
  private void checkContiguous(
      BinaryKernel kernel,
      LongUnaryOperator lefts,
      LongUnaryOperator rights,
      int count,
      int shifted) {
    DType type = kernel.type();
    Operand left = Operand.contiguous(type, lefts, count, shifted & 1);
    Operand right = Operand.contiguous(type, rights, count, shifted >> 1 & 1);
    BinaryRun.of(kernel, StridedShape.vector(count, 1, 1), left, right)
        .shifted(shifted >> 2)
        .check(manager);
  }

  private void checkStrided(
      BinaryKernel kernel, StridedShape shape, LongUnaryOperator lefts, LongUnaryOperator rights) {
    run(kernel, shape, lefts, rights).shifted((int) (shape.count() % 2)).check(manager);
  }

  private static BinaryRun run(
      BinaryKernel kernel, StridedShape shape, LongUnaryOperator lefts, LongUnaryOperator rights) {
    Operand left = Operand.strided(kernel.type(), lefts, shape.extents(), shape.left());
    Operand right = Operand.strided(kernel.type(), rights, shape.extents(), shape.right());
    return BinaryRun.of(kernel, shape, left, right);
  }

  private static long[] awkward(DType type) {
    return AwkwardValues.of(type).stream().mapToLong(Long::longValue).toArray();
  }

  /** Awkward values, in an order of its own for each seed. */
  private static LongUnaryOperator mixture(DType type, int seed) {
    long[] values = awkward(type);
    return i -> {
      long mixed = (i + ((long) seed << 32)) * 0x9e3779b97f4a7c15L;
      return values[(int) ((mixed >>> 33) % values.length)];
    };
  }

  /** Each element of the left operand with each of the right. */
  private static StridedShape everyPair(long lefts, long rights) {
    return new StridedShape(List.of(lefts, rights), List.of(1L, 0L), List.of(0L, 1L));
  }
}
