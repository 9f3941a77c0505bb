// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.kcache.hip.Dim3;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What no launch on a stand-in shows of the binary kernels, compiled for this machine. */
final class BinaryKernelsTest {
  private static final String ADD = "binary_add_i64_strided";
  private static final String SUB = "binary_sub_i64";

  private static HostKernels host;

  @BeforeAll
  static void compile() throws Exception {
    KernelUnit unit = KernelCatalog.load().unitOf(ADD).orElseThrow();
    host = HostKernels.open(HostKernels.build(List.of(unit)).get(0));
  }

  @Test
  void contiguous_ontoItsLeftOperand_givesTheSame() {
    Memory left = memory(LongStream.range(1000, 1100).toArray());
    Memory right = memory(LongStream.range(0, 100).toArray());
    Memory arguments = new Memory(32);
    arguments.setLong(0, 100);
    arguments.setPointer(8, left);
    arguments.setPointer(16, right);
    arguments.setPointer(24, left);

    assertThat(host.launch(SUB, new Dim3(3, 1, 1), new Dim3(7, 1, 1), arguments)).isZero();

    assertThat(left.getLongArray(0, 100)).containsOnly(1000);
  }

  @Test
  void strided_moreElementsThan32BitsCount_findsThemAll() {
    // Only one block of a grid that covers all 3 * 2^31 elements, and only what that block writes.
    // Rows of an odd number of elements, so that each thread computes one.
    long half = (1L << 31) + 1;
    int threads = 6;
    long block = 2 * half / threads + 1;
    StridedShape shape = new StridedShape(List.of(3L, half), List.of(1L, 0L), List.of(0L, 1L));
    Memory left = memory(1, 2, 3);
    Memory right = memory(LongStream.range(0, 12).map(i -> 10 * i).toArray());
    Memory out = memory(new long[threads]);
    byte[] operands = shape.argument();
    Memory arguments = new Memory(operands.length + 24);
    arguments.write(0, operands, 0, operands.length);
    arguments.setPointer(operands.length, left);
    arguments.setPointer(operands.length + 8, right);
    long first = block * threads;
    arguments.setPointer(
        operands.length + 16, new Pointer(Pointer.nativeValue(out) - first * Long.BYTES));

    Dim3 grid = new Dim3((int) (half / 2), 1, 1);
    assertThat(host.launchBlocks(ADD, grid, new Dim3(threads, 1, 1), block, block + 1, arguments))
        .isZero();

    assertThat(first).isEqualTo(2 * half + 6);
    assertThat(out.getLongArray(0, threads)).containsExactly(63, 73, 83, 93, 103, 113);
  }

  private static Memory memory(long... elements) {
    Memory memory = new Memory((long) elements.length * Long.BYTES);
    memory.write(0, elements, 0, elements.length);
    return memory;
  }
}
