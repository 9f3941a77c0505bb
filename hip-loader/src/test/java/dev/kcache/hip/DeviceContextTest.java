// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static dev.kcache.hip.Refusals.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.binding.CurrentDevice;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Each call is made for the right device, and leaves the thread as it was. */
@ParameterizedClass
@EnumSource(names = {"HIP_7_2", "CUDA_13_0"})
class DeviceContextTest {
  private final StandIn standIn;

  private List<HipDevice> devices = List.of();

  DeviceContextTest(Version version) {
    standIn = StandIn.build(version);
  }

  @BeforeEach
  void open() {
    String arch = standIn.version().defaultDevice();
    standIn.devices(arch, arch, arch, arch);
    devices = HipRuntime.at(standIn.library()).devices();
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(standIn.counters()).isEqualTo(Counters.cleanAfter(0));
  }

  /** Uses every function that minds the current device, and checks a result. */
  private static void useEverything(HipDevice device, byte mark) {
    byte[] back = new byte[8];
    try (HipStream stream = device.createStream();
        HipStream preferred = device.createStream(-1);
        DeviceBuffer buffer = device.allocate(8);
        DeviceBuffer inOrder = stream.allocate(8);
        PinnedBuffer pinned = device.allocatePinned(8);
        HipEvent start = device.createEvent();
        HipEvent stop = device.createEvent()) {
      start.record(stream);
      inOrder.fill(mark, stream);
      buffer.copyFrom(inOrder, stream);
      buffer.copyTo(pinned.bytes(), stream);
      stop.record(stream);
      preferred.waitFor(stop);
      preferred.synchronize();
      stop.synchronize();
      assertThat(stop.isDone()).isTrue();
      assertThat(stop.elapsedSince(start)).isPositive();
      stream.synchronize();
      assertThat(stream.isDone()).isTrue();
      pinned.bytes().get(back);
      assertThat(back).containsOnly(mark);
      buffer.fillInts(0);
      buffer.copyFrom(inOrder);
      buffer.copyFrom(pinned.bytes(), stream);
      buffer.copyFrom(back);
      buffer.copyTo(back);
      assertThat(device.freeMemory()).isPositive();
      device.synchronize();
    }
  }

  @Test
  void callersDevice_isLeftAsItWas() {
    CurrentDevice callers = devices.get(2).library().currentDevice(2);
    long[] current = new long[1];
    assertThat(callers.set()).isZero();
    for (HipDevice device : devices) {
      useEverything(device, (byte) 1);
      assertThat(callers.get(current)).isZero();
      assertThat(callers.isThis(current[0])).isTrue();
    }
  }

  @Test
  void otherLibrary_mayChangeTheDeviceBetweenAnyTwoCalls() {
    standIn.interfere(true);
    for (HipDevice device : devices) {
      useEverything(device, (byte) 2);
    }
  }

  @Test
  void failure_isNotLeftForOthersToFind() {
    HipDevice device = devices.get(1);
    assertThatThrownBy(() -> device.allocate(1L << 50)).isInstanceOf(HipException.class);
    assertThat(device.library().platformCalls().hipGetLastError()).isZero();
  }

  @Test
  void deviceThatCannotBeChanged_isAnErrorBeforeTheCall() {
    standIn.fail("hipSetDevice", 101, 0, 1);
    assertFails("hipSetDevice", 101, () -> devices.get(1).allocate(8));
    standIn.fail("hipGetDevice", 3, 0, 1);
    assertFails("hipGetDevice", 3, () -> devices.get(1).allocate(8));
    assertThat(standIn.calls("hipMalloc")).isZero();
  }

  @Test
  void manyThreads_virtualOnesWhereThereAreSuch() throws Exception {
    standIn.interfere(true).async(true);
    ExecutorService executor = executor();
    try {
      List<Future<?>> uses = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        HipDevice device = devices.get(i % devices.size());
        byte mark = (byte) i;
        uses.add(executor.submit(() -> useEverything(device, mark)));
      }
      for (Future<?> use : uses) {
        use.get();
      }
    } finally {
      executor.shutdown();
    }
  }

  /** Returns one virtual thread per task, which Java has since 21, or else some threads. */
  private static ExecutorService executor() {
    if (Runtime.version().feature() < 21) {
      return Executors.newFixedThreadPool(32);
    }
    try {
      return (ExecutorService)
          MethodHandles.lookup()
              .findStatic(
                  Executors.class,
                  "newVirtualThreadPerTaskExecutor",
                  MethodType.methodType(ExecutorService.class))
              .invoke();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
