// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import com.sun.management.ThreadMXBean;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Bursts of launches of one kernel with the same configuration and arguments. */
final class Launches implements Alternation.Side {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final HipFunction kernel;
  private final HipStream stream;
  private final KernelArguments arguments;
  private final LaunchConfig config = LaunchConfig.of(1, 64);
  private final int bursts;

  /**
   * Creates the bursts and warms up.
   *
   * @param arguments of the kernel
   */
  Launches(HipFunction kernel, HipStream stream, KernelArguments arguments, Effort effort) {
    this.kernel = kernel;
    this.stream = stream;
    this.arguments = arguments;
    this.bursts = effort.bursts();
    for (int i = 0; i < effort.warmUpBursts(); i++) {
      Burst unused = burst(Effort.BURST);
    }
  }

  /** Totals of one burst. */
  private record Burst(long nanos, long cpuNanos, long bytes) {}

  /** Measures, and returns the medians of one launch: seconds, CPU seconds, bytes allocated. */
  @Override
  public List<Double> measure() {
    List<Burst> done = new ArrayList<>();
    for (int i = 0; i < bursts; i++) {
      done.add(burst(Effort.BURST));
    }
    stream.synchronize();
    long nothing = burst(0).bytes(); // the query itself allocates, always the same amount
    return List.of(
        median(done.stream().map(burst -> burst.nanos() / 1e9).toList()),
        median(done.stream().map(burst -> burst.cpuNanos() / 1e9).toList()),
        median(done.stream().map(burst -> (double) (burst.bytes() - nothing)).toList()));
  }

  private static double median(List<Double> totals) {
    return new Samples(totals).median() / Effort.BURST;
  }

  /** Synchronizes first, not last: it measures the calls alone, on an empty queue. */
  private Burst burst(int launches) {
    stream.synchronize();
    long bytes = THREADS.getCurrentThreadAllocatedBytes();
    long cpu = THREADS.getCurrentThreadCpuTime();
    long begin = System.nanoTime();
    for (int i = 0; i < launches; i++) {
      kernel.launch(config, stream, arguments);
    }
    long nanos = System.nanoTime() - begin;
    long cpuNanos = THREADS.getCurrentThreadCpuTime() - cpu;
    return new Burst(nanos, cpuNanos, THREADS.getCurrentThreadAllocatedBytes() - bytes);
  }
}
