// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What launches leave behind in memory: nothing. */
@ParameterizedClass
@EnumSource(names = {"HIP_6_4", "CUDA_13_0", "HSA_6_4"})
class LaunchCostTest {
  private static final int WARM_UP = 50_000;
  private static final int LAUNCHES = 1_000_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final StandIn standIn;
  private HipModule module;
  private HipStream stream;
  private DeviceBuffer buffer;

  LaunchCostTest(Version version) {
    standIn = StandIn.build(version).reset();
  }

  @BeforeEach
  void open() {
    HipDevice device = HipRuntime.at(standIn.library()).devices().get(0);
    module = device.load(TestImages.known(standIn.version().platform()));
    stream = device.createStream();
    buffer = device.allocate(64);
  }

  @AfterEach
  void close() {
    buffer.close();
    stream.close();
    module.close();
  }

  /**
   * Returns what some launches allocate; of ten times the least, since compiling takes its time.
   */
  private static long allocatedBy(Runnable launch) {
    for (int i = 0; i < WARM_UP; i++) {
      launch.run();
    }
    // Reading the figure allocates too, and always the same.
    long nothing = -THREADS.getCurrentThreadAllocatedBytes();
    nothing += THREADS.getCurrentThreadAllocatedBytes();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 10; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 1000; i++) {
        launch.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before - nothing);
    }
    return least;
  }

  @Test
  void launch_withTheSameArguments_allocatesNothing() {
    HipFunction shape = module.function("shape");
    LaunchConfig config = LaunchConfig.of(1, 64);
    KernelArguments arguments = KernelArguments.of(buffer);

    assertThat(allocatedBy(() -> shape.launch(config, stream, arguments))).isZero();
  }

  @Test
  void launch_withChangedArguments_allocatesNothing() {
    HipFunction mixed = module.function("mixed");
    HipFunction pair = module.function("pair");
    LaunchConfig config = LaunchConfig.of(1, 64);
    KernelArguments numbers = KernelArguments.of((byte) 1, (short) 2, 3, 4L, 5f, 6.0, buffer);
    KernelArguments structure = KernelArguments.of(new byte[16], (short) 1, buffer);
    ByteBuffer bytes = ByteBuffer.allocate(16);

    long allocated =
        allocatedBy(
            () -> {
              numbers.set(0, (byte) 7).set(1, (short) 8).set(2, 9).set(3, 10L);
              mixed.launch(config, stream, numbers.set(4, 11f).set(5, 12.0).set(6, buffer));
              pair.launch(config, stream, structure.set(0, bytes));
            });

    assertThat(allocated).isZero();
  }

  @Test
  void launch_aMillionTimes_growsNoMemory() throws IOException {
    HipFunction empty = module.function("empty");
    LaunchConfig config = LaunchConfig.of(1, 64);
    KernelArguments none = KernelArguments.of();
    for (int i = 0; i < WARM_UP; i++) {
      empty.launch(config, stream, none);
    }
    long before = residentBytes();

    for (int i = 0; i < LAUNCHES; i++) {
      empty.launch(config, stream, none);
    }

    // A leak of 16 bytes a launch would be 16 MB.
    assertThat(residentBytes() - before).isLessThan(12_000_000);
    assertThat(standIn.counters().launches()).isEqualTo(WARM_UP + LAUNCHES);
  }

  /** Native memory and heap together, as Linux counts what is in use. */
  private static long residentBytes() throws IOException {
    System.gc();
    String status = Files.readString(Path.of("/proc/self/status"));
    String line = status.lines().filter(one -> one.startsWith("RssAnon")).findFirst().orElseThrow();
    return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
  }
}
