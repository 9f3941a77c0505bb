// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads use, replace and close the same things of several devices, in any order. */
@ParameterizedClass
@EnumSource(names = {"HIP_6_4", "CUDA_13_0", "HSA_6_4"})
class LifetimesTest {
  private final StandIn standIn;

  private static final int THREADS = 64;
  private static final int ROUNDS = 300;
  private static final int DEVICES = 4;
  private static final int SHARED = 4;
  private static final int INTS = 64;

  /** Things of one kind that all threads share: any of them may be closed at any time. */
  private static final class Shelf<T extends AutoCloseable> {
    private final AtomicReferenceArray<T> things = new AtomicReferenceArray<>(SHARED);
    private final Supplier<T> maker;

    Shelf(Supplier<T> maker) {
      this.maker = maker;
      for (int i = 0; i < SHARED; i++) {
        things.set(i, maker.get());
      }
    }

    T any(Random random) {
      return things.get(random.nextInt(SHARED));
    }

    void replaceAny(Random random) throws Exception {
      things.getAndSet(random.nextInt(SHARED), maker.get()).close();
    }

    void closeAll() throws Exception {
      for (int i = 0; i < SHARED; i++) {
        things.get(i).close();
      }
    }
  }

  /** What there is on one device. */
  private static final class Bench {
    private final HipDevice device;
    private final Shelf<DeviceBuffer> buffers;
    private final Shelf<HipStream> streams;
    private final Shelf<HipEvent> events;
    private final Shelf<HipModule> modules;

    Bench(HipDevice device, CodeObject code) {
      this.device = device;
      this.buffers = new Shelf<>(() -> device.allocate(INTS * 4));
      this.streams = new Shelf<>(device::createStream);
      this.events = new Shelf<>(device::createEvent);
      this.modules = new Shelf<>(() -> device.load(code));
    }

    void doAnything(Random random) throws Exception {
      HipStream stream = streams.any(random);
      HipEvent event = events.any(random);
      DeviceBuffer buffer = buffers.any(random);
      switch (random.nextInt(14)) {
        case 0 -> buffers.replaceAny(random);
        case 1 -> streams.replaceAny(random);
        case 2 -> events.replaceAny(random);
        case 3 -> modules.replaceAny(random);
        case 4 -> buffer.close();
        case 5 -> buffer.copyFrom(new int[INTS]);
        case 6 -> buffer.copyTo(new float[INTS]);
        case 7 -> buffer.fillInts(1, stream);
        case 8 -> buffer.copyFrom(ByteBuffer.allocateDirect(INTS * 4), stream);
        case 9 -> copyPinned(buffer, stream);
        case 10 -> event.record(stream);
        case 11 -> stream.waitFor(event);
        case 12 -> allocateOn(stream);
        default -> launch(random, stream);
      }
      if (random.nextInt(8) == 0) {
        stream.synchronize();
      }
    }

    private void copyPinned(DeviceBuffer buffer, HipStream stream) {
      try (PinnedBuffer pinned = device.allocatePinned(INTS * 4)) {
        buffer.copyTo(pinned.bytes(), stream);
      }
    }

    private void allocateOn(HipStream stream) {
      try (DeviceBuffer buffer = stream.allocate(INTS * 4)) {
        buffer.fill((byte) 1, stream);
      }
    }

    private void launch(Random random, HipStream stream) {
      KernelArguments arguments =
          KernelArguments.of(buffers.any(random), buffers.any(random), buffers.any(random), INTS);
      modules.any(random).function("vadd").launch(LaunchConfig.of(1, INTS), stream, arguments);
    }

    void closeAll() throws Exception {
      buffers.closeAll();
      streams.closeAll();
      events.closeAll();
      modules.closeAll();
    }
  }

  LifetimesTest(Version version) {
    standIn = StandIn.build(version);
  }

  @Test
  void randomUsesAndCloses_leakNothingAndNeverMissTheDevice() throws Exception {
    String arch = standIn.version().defaultDevice();
    standIn.devices(arch, arch, arch, arch).async(true).interfere(true);
    List<Bench> benches = new ArrayList<>();
    for (HipDevice device : HipRuntime.at(standIn.library()).devices()) {
      benches.add(new Bench(device, TestImages.known(standIn.version().platform())));
    }
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> threads = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        Random random = new Random(thread);
        threads.add(executor.submit(() -> workAtRandom(benches, random)));
      }
      for (Future<?> thread : threads) {
        thread.get();
      }
    } finally {
      executor.shutdown();
    }
    for (Bench bench : benches) {
      bench.closeAll();
      bench.device.synchronize();
    }
    Counters counters = standIn.counters();
    assertThat(counters.launches()).isPositive();
    assertThat(counters).isEqualTo(Counters.cleanAfter(counters.launches()));
  }

  private static void workAtRandom(List<Bench> benches, Random random) {
    for (int round = 0; round < ROUNDS; round++) {
      try {
        benches.get(random.nextInt(DEVICES)).doAnything(random);
      } catch (IllegalStateException e) {
        // Another thread was faster.
        assertThat(e).hasMessageMatching("the (device buffer|stream|event|module) is closed");
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }
}
