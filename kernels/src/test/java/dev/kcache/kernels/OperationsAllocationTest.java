// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What launches of contiguous tensors leave for the garbage collector: nothing. */
class OperationsAllocationTest extends OperationsContract {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int WARM_UP = 20_000;
  private static final int LAUNCHES = 1000;
  private static final int ROUNDS = 10;

  @Override
  TestGpu gpu() {
    return TestGpu.ofAmdStandIn();
  }

  /** The stand-in takes launches of other kernels, too, and computes nothing. */
  @Override
  List<KernelUnit> units() {
    return List.of();
  }

  @Test
  void launch_contiguousTensors_allocatesNothing() {
    DeviceTensor x = tensor(DType.I32, i -> i, 3, 5);
    DeviceTensor y = tensor(DType.I32, i -> i, 3, 5);
    DeviceTensor bits = tensor(DType.U8, i -> i, 3, 5);
    Map<String, Runnable> launches = new LinkedHashMap<>();
    launches.put("add", () -> operations.add(x, y, x, stream));
    launches.put("lt", () -> operations.compare(Comparison.LT, x, y, bits, stream));
    launches.put("where", () -> operations.where(bits, x, y, x, stream));
    launches.put("neg", () -> operations.unary(UnaryOperation.NEG, x, x, stream));
    launches.put("cast", () -> operations.cast(x, bits, Overflow.WRAP, stream));
    launches.put("affine", () -> operations.affine(x, 2, 1, x, stream));

    launches.forEach((name, launch) -> assertThat(allocatedBy(launch)).as(name).isZero());
  }

  /**
   * Returns what some launches allocate; the least of some rounds, since the JIT takes its time.
   */
  private static long allocatedBy(Runnable launch) {
    for (int i = 0; i < WARM_UP; i++) {
      launch.run();
    }
    // Reading the figure allocates too, and always the same.
    long nothing = -THREADS.getCurrentThreadAllocatedBytes();
    nothing += THREADS.getCurrentThreadAllocatedBytes();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < LAUNCHES; i++) {
        launch.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before - nothing);
    }
    return least;
  }
}
