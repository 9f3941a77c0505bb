// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.Dim3;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipEvent;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipModule;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.hip.PinnedBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the stand-in in Java does beyond the contract of a runtime. */
class StandInGpuTest {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private StandInGpu gpu = StandInGpu.builder().kernel("saxpy", Known.SAXPY).build();

  @AfterEach
  void close() {
    gpu.close();
  }

  /** There is no process that its faults could end, and no runtime of AMD's to ask. */
  @Test
  void survivingFaults_needsNothingAndWarnsOfNothing() {
    List<String> warnings = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger("dev.kcache.hip");
    Handler handler = new Warnings(warnings);
    logger.addHandler(handler);
    try (HipModule module =
        gpu.runtime().surviveFaults().devices().get(0).load(Known.codeObject("gfx90a"))) {
      assertThat(module.functionNames()).isNotEmpty();
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(warnings).isEmpty();
  }

  /** Keeps the messages of a logger. */
  private static final class Warnings extends Handler {
    private final List<String> messages;

    Warnings(List<String> messages) {
      this.messages = messages;
    }

    @Override
    public void publish(LogRecord entry) {
      messages.add(entry.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** Replaces the GPU. */
  private HipDevice device(StandInGpu.Builder builder) {
    gpu.close();
    gpu = builder.build();
    return gpu.device();
  }

  private static HipException failure(ThrowingCallable call) {
    HipException failure = catchThrowableOfType(HipException.class, call);
    assertThat(failure).isNotNull();
    return failure;
  }

  private static KernelArguments saxpy(int count, DeviceBuffer x, DeviceBuffer y) {
    return KernelArguments.of(count, 2f, x, y);
  }

  private static void launchSaxpy(HipDevice device, int count, DeviceBuffer x, DeviceBuffer y) {
    try (HipModule module = device.load(Known.codeObject("gfx90a"))) {
      module
          .function("saxpy")
          .launch(LaunchConfig.covering(count, 64), device.defaultStream(), saxpy(count, x, y));
    }
  }

  @Test
  void memory_isAsLargeAsTheBuilderSays() {
    HipDevice device = device(StandInGpu.builder().memory("1MB"));
    try (DeviceBuffer most = device.allocate(900_000)) {
      HipException failure = failure(() -> device.allocate(100_001));

      assertThat(failure.code()).isEqualTo(2);
      assertThat(failure).hasMessageContaining("100000 bytes of device 0's 1000000 are free");
      assertThat(device.freeMemory()).isEqualTo(1_000_000 - most.size());
    }
    device.allocate(1_000_000).close();
  }

  /** More than the heap of any test. */
  @Test
  void memory_takesTheHostsOnlyWhereItIsUsed() {
    HipDevice device = device(StandInGpu.builder().memory("1TB"));
    try (DeviceBuffer large = device.allocate(800_000_000_000L)) {
      DeviceBuffer end = large.slice(large.size() - 4, 4);
      end.copyFrom(new int[] {5});
      int[] read = new int[1];
      end.copyTo(read);
      assertThat(read).containsExactly(5);
    }
  }

  @Test
  void freshMemory_isNoNumber() {
    try (DeviceBuffer buffer = gpu.device().allocate(8)) {
      float[] values = new float[2];
      buffer.copyTo(values);
      assertThat(values).containsExactly(Float.NaN, Float.NaN);
    }
  }

  @Test
  void accessOutside_isAFaultThatNamesItAndLosesTheDevice() {
    HipDevice device = gpu.device();
    DeviceBuffer x = device.allocate(400);
    DeviceBuffer y = device.allocate(396);
    HipModule module = device.load(Known.codeObject("gfx90a"));
    module
        .function("saxpy")
        .launch(LaunchConfig.covering(100, 64), device.defaultStream(), saxpy(100, x, y));

    HipException failure = failure(device::synchronize);

    assertThat(failure.code()).isEqualTo(700);
    assertThat(failure)
        .hasMessageContaining("saxpy: element 99 of 4 bytes at 0x")
        .hasMessageContaining("was read outside of its 396 bytes");
    assertThat(failure(() -> device.allocate(4)).code()).isEqualTo(700);
    List.of(x, y, module).forEach(StandInGpuTest::closeQuietly);
    assertThat(gpu.leaks()).isEmpty();
  }

  /** The kernel's stream doesn't wait for the one that the memory belongs to. */
  @Test
  void useAfterFree_isAFault() {
    HipDevice device = gpu.device();
    HipModule module = device.load(Known.codeObject("gfx90a"));
    HipStream owner = device.createStream();
    HipStream user = device.createStream();
    DeviceBuffer x = owner.allocate(4);
    module.function("saxpy").launch(ONE, user, saxpy(1, x, x));
    x.close();
    owner.synchronize();

    HipException failure = failure(user::synchronize);

    assertThat(failure.code()).isEqualTo(700);
    assertThat(failure).hasMessageContaining("was read where nothing is allocated");
  }

  @Test
  void results_areNotThereBeforeTheStreamIsWaitedFor() {
    HipDevice device = gpu.device();
    try (HipStream stream = device.createStream();
        HipEvent event = device.createEvent();
        DeviceBuffer buffer = device.allocate(4);
        PinnedBuffer host = device.allocatePinned(4)) {
      buffer.fillInts(7);
      buffer.copyTo(host.bytes(), stream);
      event.record(stream);
      assertThat(host.bytes().getInt(0)).isZero();
      stream.synchronize();
      assertThat(host.bytes().getInt(0)).isEqualTo(7);
    }
  }

  @Test
  void polls_comeToAnEnd() {
    HipDevice device = gpu.device();
    try (HipStream stream = device.createStream();
        HipEvent event = device.createEvent();
        DeviceBuffer buffer = device.allocate(4)) {
      buffer.fill((byte) 1, stream);
      event.record(stream);
      assertThat(event.isDone()).isFalse();
      assertThat(event.isDone()).isFalse();
      assertThat(event.isDone()).isTrue();
      buffer.fill((byte) 2, stream);
      assertThat(stream.isDone()).isFalse();
      assertThat(stream.isDone()).isTrue();
    }
  }

  /** Without the event, the copy would come first, as the streams are drained one by one. */
  @Test
  void event_ordersStreams() {
    HipDevice device = gpu.device();
    try (HipStream first = device.createStream();
        HipStream second = device.createStream();
        HipEvent filled = device.createEvent();
        DeviceBuffer buffer = device.allocate(4);
        PinnedBuffer host = device.allocatePinned(8)) {
      buffer.fill((byte) 0);
      buffer.fill((byte) 1, first);
      buffer.copyTo(host.bytes().slice(0, 4), second);
      filled.record(first);
      second.waitFor(filled);
      buffer.copyTo(host.bytes().slice(4, 4), second);
      second.synchronize();
      assertThat(host.bytes().get(0)).isZero();
      assertThat(host.bytes().get(4)).isEqualTo((byte) 1);
    }
  }

  @Test
  void kernelWithoutBody_isRefusedWithWhatToDo() {
    HipDevice device = device(StandInGpu.builder());
    try (DeviceBuffer x = device.allocate(4)) {
      HipException failure = failure(() -> launchSaxpy(device, 1, x, x));

      assertThat(failure)
          .hasMessage(
              "hipModuleLaunchKernel: hipErrorNotSupported (801): the stand-in GPU has no body for"
                  + " saxpy: give one with StandInGpu.builder().kernel(\"saxpy\", body), or only"
                  + " record launches with recordOnly()");
      assertThat(gpu.launches()).isEmpty();
    }
  }

  @Test
  void launches_haveDimsAndArguments() {
    HipDevice device = device(StandInGpu.builder().recordOnly());
    try (DeviceBuffer x = device.allocate(12);
        DeviceBuffer y = device.allocate(400)) {
      x.copyFrom(new float[] {1, 2, 3});
      launchSaxpy(device, 100, x, y);
      KernelCall call = gpu.launches().get(0);

      assertThat(gpu.launches()).hasSize(1);
      assertThat(call.kernel()).isEqualTo("saxpy");
      assertThat(call.device()).isZero();
      assertThat(call.gridDims()).isEqualTo(new Dim3(2, 1, 1));
      assertThat(call.blockDims()).isEqualTo(new Dim3(64, 1, 1));
      assertThat(call.sharedMemoryBytes()).isZero();
      assertThat(call.argumentCount()).isEqualTo(4);
      assertThat(call.intAt(0)).isEqualTo(100);
      assertThat(call.floatAt(1)).isEqualTo(2f);
      assertThat(call.buffer(2).getFloat(2)).isEqualTo(3f);
      assertThat(call.buffer(3).size()).isEqualTo(400);
      assertThatThrownBy(() -> call.doubleAt(1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("argument 1 of saxpy is 4 bytes by value, not 8 bytes by value");
      assertThatThrownBy(() -> call.longAt(2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("argument 2 of saxpy is a pointer, not 8 bytes by value");
      assertThatThrownBy(() -> call.buffer(0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("argument 0 of saxpy is 4 bytes by value, not a pointer");
      assertThatThrownBy(() -> call.intAt(4)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    gpu.clearLaunches();
    assertThat(gpu.launches()).isEmpty();
  }

  @Test
  void launches_areTheLastTenThousand() {
    HipDevice device = device(StandInGpu.builder().recordOnly());
    try (HipModule module = device.load(Known.codeObject("gfx90a"));
        DeviceBuffer x = device.allocate(4)) {
      for (int i = 0; i < 10_005; i++) {
        module.function("saxpy").launch(ONE, device.defaultStream(), saxpy(i, x, x));
      }
    }
    assertThat(gpu.launches()).hasSize(10_000);
    assertThat(gpu.launches().get(0).intAt(0)).isEqualTo(5);
  }

  @Test
  void perThread_runsEveryThreadOnce() {
    StandInKernel count =
        StandInKernel.perThread(
            (thread, call) -> {
              long i = thread.x() + 6 * (thread.y() + 4 * thread.z());
              StandInBuffer out = call.buffer(0);
              out.setByte(i, (byte) (out.getByte(i) + 1));
            });
    HipDevice device = device(StandInGpu.builder().kernel("shape", count));
    try (HipModule module = device.load(Known.codeObject("gfx90a"));
        DeviceBuffer out = device.allocate(6 * 4 * 10)) {
      out.fill((byte) 0);
      LaunchConfig config = LaunchConfig.of(new Dim3(3, 2, 5), new Dim3(2, 2, 2));
      module.function("shape").launch(config, device.defaultStream(), KernelArguments.of(out));
      byte[] counts = new byte[240];
      out.copyTo(counts);
      assertThat(counts).containsOnly(1);
    }
  }

  @Test
  void bodyThatThrows_isALaunchFailureWithItsText() {
    HipDevice device =
        device(
            StandInGpu.builder()
                .kernel(
                    "empty",
                    call -> {
                      throw new IllegalStateException("no such mode");
                    }));
    HipModule module = device.load(Known.codeObject("gfx90a"));
    module.function("empty").launch(ONE, device.defaultStream(), KernelArguments.of());

    HipException failure = failure(device::synchronize);

    assertThat(failure.code()).isEqualTo(719);
    assertThat(failure)
        .hasMessageContaining(
            "the body of empty<<<1x1x1, 1x1x1>>> threw"
                + " java.lang.IllegalStateException: no such mode");
  }

  @Test
  void injectedFailures_comeOnceEach() {
    HipDevice device = gpu.device();
    gpu.failNext("hipMalloc", 2);
    gpu.failNext("hipMalloc", 1);
    assertThat(failure(() -> device.allocate(4)).code()).isEqualTo(2);
    assertThat(failure(() -> device.allocate(4)).code()).isEqualTo(1);
    try (DeviceBuffer x = device.allocate(4)) {
      gpu.failLaunch("saxpy", 701);
      assertThat(failure(() -> launchSaxpy(device, 1, x, x)).code()).isEqualTo(701);
      launchSaxpy(device, 1, x, x);
    }
    assertThat(gpu.launches()).hasSize(1);
    assertThatThrownBy(() -> gpu.failNext("hipMalloc", 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void lostDevice_failsEachCallAndSparesTheOther() {
    HipDevice device = device(StandInGpu.builder().devices(2));
    HipDevice other = gpu.runtime().devices().get(1);
    DeviceBuffer buffer = device.allocate(4);
    gpu.loseDevice(0);
    gpu.loseDevice(0);

    HipException failure = failure(() -> buffer.fill((byte) 0));

    assertThat(failure.code()).isEqualTo(719);
    assertThat(failure.isSticky()).isTrue();
    other.allocate(4).close();
    assertThatThrownBy(() -> gpu.loseDevice(2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void leaks_nameWhatIsOpen() {
    HipDevice device = gpu.device();
    DeviceBuffer buffer = device.allocate(400);
    PinnedBuffer pinned = device.allocatePinned(8);
    HipModule module = device.load(Known.codeObject("gfx90a"));
    HipStream stream = device.createStream();
    HipEvent event = device.createEvent();
    List<String> all =
        List.of(
            "buffer of 400 bytes on device 0",
            "pinned buffer of 8 bytes",
            "module " + module.codeObject(),
            "stream of device 0",
            "event of device 0");
    assertThat(gpu.leaks()).containsExactlyInAnyOrderElementsOf(all);

    gpu.close();

    assertThat(gpu.leaks()).containsExactlyInAnyOrderElementsOf(all);
    assertThat(failure(() -> device.allocate(4)))
        .hasMessageContaining("hipErrorDeinitialized (4): the stand-in GPU is closed");
    List.of(buffer, pinned, module, stream, event).forEach(StandInGpuTest::closeQuietly);
  }

  private static void closeQuietly(AutoCloseable open) {
    try {
      open.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void devices_haveTheirTargetsAndReachEachOther() {
    HipDevice first = device(StandInGpu.builder().target("gfx90a:xnack-", "gfx1030"));
    HipDevice second = gpu.runtime().devices().get(1);
    assertThat(first.target()).hasToString("gfx90a:xnack-");
    assertThat(second.properties().wavefrontSize()).isEqualTo(32);
    assertThat(gpu).hasToString("stand-in GPU (gfx90a:xnack-, gfx1030)");
    assertThatThrownBy(() -> second.load(Known.codeObject("gfx90a")))
        .isInstanceOf(IncompatibleTargetException.class);

    try (DeviceBuffer from = first.allocate(4);
        DeviceBuffer to = second.allocate(4)) {
      from.copyFrom(new int[] {42});
      to.copyFrom(from);
      int[] there = new int[1];
      to.copyTo(there);
      assertThat(there).containsExactly(42);
    }
    assertThat(gpu.leaks()).isEmpty();
  }

  @Test
  void builder_refusesWhatIsNoGpu() {
    StandInGpu.Builder builder = StandInGpu.builder();
    assertThatThrownBy(() -> builder.target("sm_90"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the stand-in GPU can't be sm_90, only a processor of AMD such as gfx90a");
    assertThatThrownBy(() -> builder.memory("0"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a GPU's memory can't be unlimited: 0");
    assertThatThrownBy(() -> builder.devices(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.rocm("six")).isInstanceOf(IllegalArgumentException.class);
  }
}
