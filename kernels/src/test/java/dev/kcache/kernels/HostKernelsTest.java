// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.Dim3;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How tests run kernels on the host: alone, and on a stand-in from a launch's start to its end. */
final class HostKernelsTest {
  private static final KernelSource SOURCE =
      KernelSource.resource(HostKernelsTest.class, "host_kernels.hip");

  private static final StandIn STAND_IN = StandIn.build(Version.HIP_6_4);
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int LAUNCH_FAILURE = 719;
  private static final Dim3 ONE = new Dim3(1, 1, 1);

  @TempDir private static Path scratch;
  private static Path library;
  private static Path second;
  private static HostKernels host;
  private static TestGpu gpu;

  @BeforeAll
  static void compile() throws Exception {
    library =
        HostKernels.build(
            scratch,
            List.of("host_kernels.hip"),
            List.of(
                "host_sums",
                "host_places",
                "host_mixed",
                "host_next",
                "host_diverge",
                "host_part",
                "host_leftovers"));
    second = HostKernels.build(scratch, List.of("host_kernels.hip"), List.of("host_store"));
    host = HostKernels.open(library);
    gpu = TestGpu.ofAmdStandIn();
  }

  @Test
  void launch_threeDimensions_reachesEveryThreadOnce() {
    Memory out = new Memory(4 * 6 * 8 * 10);

    assertThat(host.launch("host_places", new Dim3(3, 2, 5), new Dim3(2, 4, 2), pointers(out)))
        .isZero();

    int[] places = out.getIntArray(0, 6 * 8 * 10);
    for (int i = 0; i < places.length; i++) {
      assertThat(places[i]).isEqualTo(((i / 48) << 16) | ((i / 6 % 8) << 8) | (i % 6));
    }
  }

  @Test
  void launch_someBlocks_runsOnlyThose() {
    Memory out = ints(-1, -1, -1, -1, -1, -1);

    host.launchBlocks("host_places", new Dim3(3, 2, 1), ONE, 2, 4, pointers(out));

    assertThat(out.getIntArray(0, 6)).containsExactly(-1, -1, 2, 0x100, -1, -1);
  }

  @Test
  void launch_signedOverflow_isReportedAndEndsTheLaunch() {
    Memory out = ints(0, 0, 0, 0);
    Memory arguments = pointers(ints(1, 2, Integer.MAX_VALUE, 4), out);

    assertThat(host.launch("host_next", ONE, new Dim3(4, 1, 1), arguments))
        .isEqualTo(HostKernels.UNDEFINED_BEHAVIOUR);

    assertThat(host.message())
        .contains("add_overflow")
        .contains("thread (2, 0, 0) of block (0, 0, 0)");
    assertThat(out.getIntArray(0, 4)).containsExactly(2, 3, 0, 0);
  }

  @Test
  void launch_useOfNull_isReported() {
    assertThat(host.launch("host_next", ONE, ONE, pointers(Pointer.NULL, ints(0))))
        .isEqualTo(HostKernels.UNDEFINED_BEHAVIOUR);
  }

  @Test
  void launch_barrierThatSomeMiss_isReported() {
    for (int end : new int[] {1, 2, 3}) {
      assertThat(diverge(end)).isEqualTo(HostKernels.DIVERGENT_BARRIER);
      assertThat(host.message()).contains("host_kernels.hip:").contains("barrier");
    }
    assertThat(diverge(0)).isZero();
    assertThat(diverge(4)).isZero();
  }

  private static int diverge(int end) {
    Memory arguments = new Memory(16);
    arguments.setInt(0, end);
    arguments.setPointer(8, ints(0, 0, 0, 0));
    return host.launch("host_diverge", ONE, new Dim3(4, 1, 1), arguments);
  }

  @Test
  void launch_twoBarriersAtOnce_isReported() {
    assertThat(host.launch("host_part", ONE, new Dim3(2, 1, 1), pointers(ints(0, 0))))
        .isEqualTo(HostKernels.DIVERGENT_BARRIER);
  }

  @Test
  void launch_sharedMemory_holdsNothingOfTheBlockBefore() {
    Memory out = ints(0, 0, 0);

    host.launch("host_leftovers", new Dim3(3, 1, 1), new Dim3(2, 1, 1), pointers(out));

    assertThat(out.getIntArray(0, 3)).containsOnly(-1);
  }

  @Test
  void launch_unknownKernel_isReported() {
    assertThat(host.launch("host_nothing", ONE, ONE, pointers()))
        .isEqualTo(HostKernels.UNKNOWN_KERNEL);
    assertThat(host.message()).contains("host_nothing");
  }

  @Test
  void launch_tooFewArguments_isReported() {
    assertThat(host.launch("host_next", ONE, ONE, pointers(ints(0))))
        .isEqualTo(HostKernels.ARGUMENTS_TOO_SHORT);
  }

  static Stream<Named<Supplier<TestGpu>>> runtimes() {
    return Stream.of(
        Named.of("HIP", TestGpu::ofAmdStandIn), Named.of("HSA", TestGpu::ofHsaStandIn));
  }

  @Test
  void standInWithNvcc_kernelWithBarriers_computes() {
    standIn_kernelWithBarriers_computes(TestGpu::ofNvidiaStandIn);
  }

  @ParameterizedTest
  @MethodSource("runtimes")
  void standIn_kernelWithBarriers_computes(Supplier<TestGpu> runtime) {
    TestGpu gpu = runtime.get();
    float[] elements = new float[100_000];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = i % 7;
    }
    try (KernelManager manager = managerOfHostKernels(gpu);
        HipStream stream = manager.device().createStream();
        DeviceBuffer in = manager.device().allocate(4L * elements.length);
        DeviceBuffer sums = manager.device().allocate(4 * 3);
        DeviceBuffer total = manager.device().allocate(4)) {
      in.copyFrom(elements);
      total.fill((byte) 0);
      manager
          .kernel(SOURCE, "host_sums")
          .launch(
              LaunchConfig.of(3, 256),
              stream,
              KernelArguments.of(in, (long) elements.length, sums, total));
      stream.synchronize();

      float[] results = new float[3];
      sums.copyTo(results);
      for (int block = 0; block < 3; block++) {
        float expected = 0;
        for (int i = 0; i < elements.length; i++) {
          expected += i / 256 % 3 == block ? elements[i] : 0;
        }
        assertThat(results[block]).isEqualTo(expected);
      }
      float[] all = new float[1];
      total.copyTo(all);
      assertThat(all[0]).isEqualTo(results[0] + results[1] + results[2]);
    }
    gpu.checkNothingIsLeft();
  }

  @Test
  void standIn_argumentsOfAllKinds_arrive() {
    try (KernelManager manager = managerOfHostKernels(gpu);
        HipStream stream = manager.device().createStream();
        DeviceBuffer more = manager.device().allocate(8);
        DeviceBuffer out = manager.device().allocate(8 * 7)) {
      more.copyFrom(new float[] {1.5f, 2.5f});
      Memory mixed = new Memory(24);
      mixed.clear();
      mixed.setByte(0, (byte) -3);
      mixed.setDouble(8, 0.1);
      mixed.setShort(16, (short) 7);
      manager
          .kernel(SOURCE, "host_mixed")
          .launch(
              LaunchConfig.of(1, 1),
              stream,
              KernelArguments.of(
                  (byte) -2, mixed.getByteArray(0, 24), 4.5f, more.slice(4, 4), (short) -6, out));
      stream.synchronize();

      double[] results = new double[7];
      out.copyTo(results);
      assertThat(results).containsExactly(254, -3, 0.1, 7, 4.5, 2.5, -6);
    }
    gpu.checkNothingIsLeft();
  }

  @Test
  void standIn_undefinedBehaviour_faultsTheDevice() {
    try (KernelManager manager = managerOfHostKernels(gpu);
        HipStream stream = manager.device().createStream();
        DeviceBuffer buffer = manager.device().allocate(4)) {
      buffer.copyFrom(new int[] {Integer.MAX_VALUE});
      manager
          .kernel(SOURCE, "host_next")
          .launch(LaunchConfig.of(1, 1), stream, KernelArguments.of(buffer, buffer));

      checkFault(stream, LAUNCH_FAILURE);
    }
  }

  @Test
  void standIn_writeBesideTheMemory_faultsTheDevice() {
    for (int at : new int[] {-1, 5}) {
      try (KernelManager manager = managerOfHostKernels(gpu);
          HipStream stream = manager.device().createStream();
          DeviceBuffer buffer = manager.device().allocate(5)) {
        manager
            .kernel(SOURCE, "host_store")
            .launch(LaunchConfig.of(1, 1), stream, KernelArguments.of(buffer, at));

        checkFault(stream, ILLEGAL_ADDRESS);
      }
    }
  }

  @Test
  void standIn_afterReset_hasForgottenTheLibrary() {
    STAND_IN.reset();
    assertThat(next(41)).isEqualTo(41);

    STAND_IN.reset().configure("async=0;kernels=" + library);
    assertThat(next(41)).isEqualTo(42);
  }

  /** Returns what is in the memory of a number after its kernel, if there is one. */
  private static int next(int number) {
    int[] result = {number};
    try (KernelManager manager = manager(gpu);
        HipStream stream = manager.device().createStream();
        DeviceBuffer buffer = manager.device().allocate(4)) {
      buffer.copyFrom(result);
      manager
          .kernel(SOURCE, "host_next")
          .launch(LaunchConfig.of(1, 1), stream, KernelArguments.of(buffer, buffer));
      stream.synchronize();
      buffer.copyTo(result);
    }
    return result[0];
  }

  /** Checks what a kernel did to the device, and makes it well again. */
  private static void checkFault(HipStream stream, int error) {
    assertThatThrownBy(stream::synchronize).isInstanceOf(HipException.class);
    assertThat(STAND_IN.fault(0)).isEqualTo(error);
    STAND_IN.setFault(0, 0);
  }

  private static KernelManager managerOfHostKernels(TestGpu gpu) {
    gpu.reset();
    gpu.run(library);
    gpu.run(second);
    return manager(gpu);
  }

  private static KernelManager manager(TestGpu gpu) {
    return KernelManager.builder().environment(gpu.environment(scratch.resolve("cache"))).build();
  }

  private static Memory ints(int... values) {
    Memory memory = new Memory(4L * values.length);
    memory.write(0, values, 0, values.length);
    return memory;
  }

  private static Memory pointers(Pointer... pointers) {
    Memory memory = new Memory(8L * pointers.length + 1);
    for (int i = 0; i < pointers.length; i++) {
      memory.setPointer(8L * i, pointers[i]);
    }
    return memory;
  }
}
