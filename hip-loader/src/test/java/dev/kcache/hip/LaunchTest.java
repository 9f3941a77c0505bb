// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static dev.kcache.hip.Refusals.assertIllegal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Launches on the stand-in: what arrives, and what never does. */
@ParameterizedClass
@EnumSource(names = {"HIP_5_2", "CUDA_13_0", "HSA_6_4"})
class LaunchTest {
  private static final int COUNT = 1000;

  private StandIn standIn;
  private HipDevice device;
  private HipModule module;
  private HipStream stream;

  LaunchTest(Version version) {
    standIn = StandIn.build(version).reset();
  }

  @BeforeEach
  void open() {
    device = HipRuntime.at(standIn.library()).devices().get(0);
    module = device.load(TestImages.known(standIn.version().platform()));
    stream = device.createStream();
  }

  @AfterEach
  void close() {
    stream.close();
    module.close();
    Counters counters = standIn.counters();
    standIn.reset();
    assertThat(counters).isEqualTo(Counters.cleanAfter(counters.launches()));
  }

  /** Goes on with another library, or another state of this one. */
  private void reopen(StandIn library) {
    stream.close();
    module.close();
    standIn = library.reset();
    open();
  }

  private DeviceBuffer floats(float first) {
    float[] values = new float[COUNT];
    for (int i = 0; i < COUNT; i++) {
      values[i] = first + i;
    }
    DeviceBuffer buffer = device.allocate(4 * COUNT);
    buffer.copyFrom(values);
    return buffer;
  }

  private static float[] read(DeviceBuffer buffer) {
    float[] values = new float[COUNT];
    buffer.copyTo(values);
    return values;
  }

  @Test
  void launch_withChangedArguments_usesTheNewOnes() {
    HipFunction scale = module.function("scale");
    LaunchConfig config = LaunchConfig.covering(COUNT, 64);
    try (DeviceBuffer x = floats(1);
        DeviceBuffer y = floats(2)) {
      KernelArguments arguments = KernelArguments.of(x, 2.0, (long) COUNT);
      scale.launch(config, stream, arguments);

      scale.launch(config, stream, arguments.set(0, y).set(1, 10.0).set(2, 1L));
      stream.synchronize();

      assertThat(read(x)).startsWith(2, 4, 6);
      assertThat(read(y)).startsWith(20, 3, 4);
    }
  }

  @Test
  void launch_ofAKernelWithoutParameters_passesNone() {
    module.function("empty").launch(LaunchConfig.of(2, 64), stream, KernelArguments.of());
    stream.synchronize();

    assertThat(standIn.lastLaunch().orElseThrow().arguments()).isEmpty();
  }

  @Test
  void launch_passesShapeStreamAndSharedMemory() {
    LaunchConfig config =
        LaunchConfig.of(new Dim3(2, 3, 4), new Dim3(8, 4, 2)).withSharedMemory(512);
    try (DeviceBuffer out = device.allocate(56)) {
      module.function("shape").launch(config, stream, KernelArguments.of(out));
      stream.synchronize();
    }

    StandIn.Launch launch = standIn.lastLaunch().orElseThrow();
    assertThat(launch.grid()).containsExactly(2, 3, 4);
    assertThat(launch.block()).containsExactly(8, 4, 2);
    assertThat(launch.sharedBytes()).isEqualTo(512);
    assertThat(launch.stream()).isNotZero();
    assertThat(launch.arguments()).hasSize(8);
  }

  @Test
  void launch_onTheSecondOfTwoDevices_leavesTheCurrentDeviceAlone() {
    HipDevice second = twoDevices();
    try (HipModule code = second.load(TestImages.known(standIn.version().platform()));
        HipStream queue = second.createStream()) {
      standIn.interfere(true);
      for (int i = 0; i < 10; i++) {
        code.function("empty").launch(LaunchConfig.of(1, 64), queue, KernelArguments.of());
      }
      assertThat(standIn.lastLaunch().orElseThrow().device()).isEqualTo(1);
    }
  }

  /** Goes on with two devices; returns the second. */
  private HipDevice twoDevices() {
    stream.close();
    module.close();
    String arch = standIn.version().defaultDevice();
    standIn.devices(arch, arch);
    open();
    return device.runtime().devices().get(1);
  }

  @Test
  void launch_afterItsKernelFaulted_saysThatTheContextIsLost() {
    HipFunction fault = module.function("fault");
    fault.launch(LaunchConfig.of(1, 1), stream, KernelArguments.of(1));

    HipException failure = catchThrowableOfType(HipException.class, stream::synchronize);

    assertThat(failure.isSticky()).isTrue();
    assertThat(failure)
        .hasMessageContaining("the kernel in flight was fault")
        .hasMessageContaining("context is lost");
    reopen(standIn);
  }

  @Test
  void launch_withTheModuleClosed_isRefused() {
    HipFunction empty = module.function("empty");
    module.close();

    assertThatIllegalStateException()
        .isThrownBy(() -> empty.launch(LaunchConfig.of(1, 1), stream, KernelArguments.of()))
        .withMessage("the module is closed");
    assertThatIllegalStateException().isThrownBy(empty::attributes);
    assertThatIllegalStateException().isThrownBy(() -> module.function("vadd"));
  }

  @Test
  void launch_withTheStreamClosed_isRefused() {
    stream.close();

    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                module
                    .function("empty")
                    .launch(LaunchConfig.of(1, 1), stream, KernelArguments.of()))
        .withMessage("the stream is closed");
  }

  @Test
  void launch_withABufferClosed_isRefusedAndKeepsTheOthersFree() {
    DeviceBuffer open = floats(1);
    DeviceBuffer closed = floats(2);
    KernelArguments arguments = KernelArguments.of(COUNT, 1f, open, closed);
    closed.close();

    assertThatIllegalStateException()
        .isThrownBy(
            () -> module.function("saxpy").launch(LaunchConfig.of(1, 1), stream, arguments));

    open.close();
    assertThat(standIn.counters().deviceAllocations()).isZero();
  }

  @Test
  void launch_withAStreamOfAnotherDevice_namesBoth() {
    HipDevice second = twoDevices();
    try (HipStream wrong = second.createStream()) {
      assertIllegal(
          "empty is loaded on device 0, but the stream is of device 1",
          () ->
              module.function("empty").launch(LaunchConfig.of(1, 1), wrong, KernelArguments.of()));
    }
  }

  @Test
  void launch_withMemoryOfAnotherDevice_namesBoth() {
    HipDevice second = twoDevices();
    HipFunction here = module.function("shape");
    try (DeviceBuffer near = device.allocate(56);
        DeviceBuffer far = second.allocate(56)) {
      KernelArguments arguments = KernelArguments.of(near);
      here.launch(LaunchConfig.of(1, 1), stream, arguments);

      assertIllegal(
          "argument 0 of shape is memory of device 1, but the function is loaded on device 0",
          () -> here.launch(LaunchConfig.of(1, 1), stream, arguments.set(0, far)));
    }
  }

  @Test
  void close_whileOtherThreadsLaunch_letsThemFinishOrRefusesThem() throws InterruptedException {
    for (int round = 0; round < 50; round++) {
      HipModule code = device.load(TestImages.known(standIn.version().platform()));
      HipFunction empty = code.function("empty");
      List<Thread> launchers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Thread launcher =
            new Thread(
                () -> {
                  KernelArguments none = KernelArguments.of();
                  LaunchConfig config = LaunchConfig.of(1, 1);
                  try {
                    while (true) {
                      empty.launch(config, stream, none);
                    }
                  } catch (IllegalStateException closed) {
                    // as it should be
                  }
                });
        launcher.start();
        launchers.add(launcher);
      }
      code.close();
      for (Thread launcher : launchers) {
        launcher.join();
      }
    }
    assertThat(standIn.counters().unloadedInFlight()).isZero();
    assertThat(standIn.counters().modules()).isEqualTo(1);
  }
}
