// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.kernels.Launch.Grid;
import dev.kcache.kernels.Launch.Memory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the binary kernels compute, without a GPU: the shipped files are compiled for this machine
 * and their results compared with Java's.
 */
final class BinaryKernelsTest {
  private static final byte UNTOUCHED = 0x5a;

  @TempDir private static Path scratch;
  private static HostProgram host;

  @BeforeAll
  static void compile() throws Exception {
    host = HostProgram.compile(scratch);
  }

  static List<BinaryKernel> kernels() {
    return BinaryKernel.all().toList();
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void kernel_everyPairOfAwkwardValues_givesTheReference(BinaryKernel kernel) throws Exception {
    DType type = kernel.type();
    List<Long> values = AwkwardValues.of(type);
    long n = values.size();
    List<Long> lefts = new ArrayList<>();
    List<Long> rights = new ArrayList<>();
    for (long left : values) {
      for (long right : values) {
        lefts.add(left);
        rights.add(right);
      }
    }
    Memory out = Memory.of(new byte[lefts.size() * type.bytes()]);
    Launch launch =
        switch (kernel.layout()) {
          case CONTIGUOUS ->
              Launch.contiguous(
                  kernel.name(), memory(type, lefts), memory(type, rights), out, n * n);
          case STRIDED ->
              Launch.strided(
                  kernel.name(),
                  memory(type, values),
                  memory(type, values),
                  out,
                  new StridedShape(List.of(n, n), List.of(1L, 0L), List.of(0L, 1L)));
        };

    List<Long> results = Elements.of(type, host.run(launch));

    Arithmetic arithmetic = Arithmetic.of(type);
    for (int i = 0; i < lefts.size(); i++) {
      long expected = arithmetic.apply(kernel.operation(), lefts.get(i), rights.get(i));
      assertThat(arithmetic.specified(results.get(i)))
          .as("%s(%#x, %#x)", kernel.name(), lefts.get(i), rights.get(i))
          .isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource
  void contiguous_anyCountAndAlignment_writesItsElementsOnly(DType type) throws Exception {
    int pack = 16 / type.bytes();
    for (int count : new int[] {0, 1, pack, 30 * pack + pack - 1}) {
      byte[] untouched = new byte[16 + count * type.bytes() + 16];
      Arrays.fill(untouched, UNTOUCHED);
      byte[] sums = Elements.bytes(type, Elements.numbers(type, count, i -> i % 50 + 1));
      byte[] expected = untouched.clone();
      System.arraycopy(sums, 0, expected, 16, sums.length);
      Memory left = memory(type, Elements.numbers(type, count, i -> i % 50));
      Memory right = memory(type, Elements.numbers(type, count, i -> 1));
      Memory out = new Memory(ByteBuffer.wrap(untouched), 0, 16);

      String kernel = "binary_add_" + type;
      int shift = type.bytes();
      for (Launch launch :
          List.of(
              Launch.contiguous(kernel, left, right, out, count),
              Launch.contiguous(kernel, left.shifted(shift), right, out, count),
              Launch.contiguous(kernel, left, right.shifted(shift), out, count),
              Launch.contiguous(kernel, left, right, out.shifted(shift), count))) {
        assertThat(host.run(launch)).as("%s", launch).isEqualTo(expected);
      }
    }
  }

  @Test
  void contiguous_ontoItsLeftOperand_givesTheSame() throws Exception {
    Memory left = memory(DType.I32, Elements.numbers(DType.I32, 100, i -> i + 1000));
    Memory right = memory(DType.I32, Elements.numbers(DType.I32, 100, i -> i));
    Launch launch = Launch.contiguous("binary_sub_i32", left, right, Memory.of(new byte[0]), 100);

    assertThat(Elements.of(DType.I32, host.run(launch.ontoLeft())))
        .isEqualTo(Collections.nCopies(100, 1000L));
  }

  @Test
  void strided_transposedAndReversed_pairsByStride() throws Exception {
    // 2 x 3: the left operand is stored as 3 x 2, the right one is a row that is read backwards.
    StridedShape strides = new StridedShape(List.of(2L, 3L), List.of(1L, 2L), List.of(0L, -1L));
    Memory left = memory(DType.I64, List.of(10L, 20L, 11L, 21L, 12L, 22L));
    Memory row = memory(DType.I64, List.of(300L, 200L, 100L));
    Memory right = new Memory(row.bytes(), 0, 2 * Long.BYTES);

    assertThat(runStrided("binary_add_i64_strided", left, right, strides))
        .containsExactly(110L, 211L, 312L, 120L, 221L, 322L);
  }

  @Test
  void strided_rankZero_isOneElement() throws Exception {
    Memory seven = memory(DType.I64, List.of(7L));
    StridedShape scalar = new StridedShape(List.of(), List.of(), List.of());

    assertThat(runStrided("binary_mul_i64_strided", seven, seven, scalar)).containsExactly(49L);
  }

  @Test
  void strided_emptyDimension_writesNothing() throws Exception {
    Memory seven = memory(DType.I64, List.of(7L));
    StridedShape empty = new StridedShape(List.of(2L, 0L), List.of(1L, 1L), List.of(1L, 1L));

    assertThat(runStrided("binary_mul_i64_strided", seven, seven, empty)).isEmpty();
  }

  @Test
  void strided_highestRank_reachesEveryElement() throws Exception {
    List<Long> two = Collections.nCopies(Layout.MAX_RANK, 2L);
    List<Long> rowMajor = List.of(128L, 64L, 32L, 16L, 8L, 4L, 2L, 1L);
    List<Long> columnMajor = List.of(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L);
    Memory numbers = memory(DType.I64, Elements.numbers(DType.I64, 256, i -> i));

    List<Long> results =
        runStrided(
            "binary_sub_i64_strided",
            numbers,
            numbers,
            new StridedShape(two, rowMajor, columnMajor));

    for (int i = 0; i < 256; i++) {
      assertThat(results.get(i)).isEqualTo((long) i - (Integer.reverse(i) >>> 24));
    }
  }

  @Test
  void strided_moreElementsThan32BitsCount_findsThemAll() throws Exception {
    // Only one block of a grid that covers all 3 * 2^31 elements, and only what that block writes.
    long half = 1L << 31;
    long index = 2 * half + 5;
    StridedShape strides = new StridedShape(List.of(3L, half), List.of(1L, 0L), List.of(0L, 1L));
    Memory left = memory(DType.I64, List.of(1L, 2L, 3L));
    Memory right = memory(DType.I64, Elements.numbers(DType.I64, 8, i -> 10 * i));
    Memory out = new Memory(ByteBuffer.allocate(3 * Long.BYTES), 0, -index * Long.BYTES);
    Launch launch = Launch.strided("binary_add_i64_strided", left, right, out, strides);

    byte[] result = host.run(launch.on(new Grid(half, 3, index / 3, index / 3 + 1)));

    assertThat(Elements.of(DType.I64, result)).containsExactly(53L, 63L, 73L);
  }

  private static List<Long> runStrided(
      String kernel, Memory left, Memory right, StridedShape strides) throws Exception {
    Memory out = Memory.of(new byte[Math.toIntExact(strides.count()) * Long.BYTES]);
    return Elements.of(
        DType.I64, host.run(Launch.strided(kernel, left, right, out, strides)));
  }

  private static Memory memory(DType type, List<Long> elements) {
    return Memory.of(Elements.bytes(type, elements));
  }
}
