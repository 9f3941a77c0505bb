// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every runtime does alike, stand-in or real, on either platform: nothing here looks behind
 * it.
 */
abstract class GpuContract {
  private static final int THREADS = 32;
  private static final int STREAMS = 4;

  private HipDevice device;
  private HipModule module;
  private HipStream stream;

  /** Returns the device to test, which may be a new object each time. */
  abstract HipDevice device();

  @BeforeEach
  void open() {
    device = device();
    module = device.load(TestImages.knownFor(device.target()));
    stream = device.createStream();
  }

  @AfterEach
  void close() {
    stream.close();
    module.close();
  }

  private static float[] ramp(int count, float first) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = first + i;
    }
    return values;
  }

  private DeviceBuffer floats(float[] values) {
    DeviceBuffer buffer = device.allocate(4L * values.length);
    buffer.copyFrom(values);
    return buffer;
  }

  private static double[] doubles(DeviceBuffer buffer) {
    double[] values = new double[(int) (buffer.size() / 8)];
    buffer.copyTo(values);
    return values;
  }

  private void launchOne(String kernel, Object... arguments) {
    module.function(kernel).launch(LaunchConfig.of(1, 1), stream, KernelArguments.of(arguments));
    stream.synchronize();
  }

  @Test
  void device_saysWhatItIs() {
    DeviceProperties properties = device.properties();

    assertThat(properties.name()).isNotEmpty();
    assertThat(device.target().processor().platform()).isEqualTo(device.runtime().platform());
    assertThat(properties.memoryBytes()).isGreaterThan(1L << 30);
    assertThat(properties.wavefrontSize()).isIn(32, 64);
    assertThat(properties.limits().maxThreadsPerBlock()).isEqualTo(1024);
    assertThat(properties.limits().sharedMemoryBytes()).isBetween(48L << 10, 1L << 20);
    assertThat(device.freeMemory()).isBetween(1L, properties.memoryBytes());
    assertThat(device.runtime().device(device.uuid().orElseThrow())).isEqualTo(device);
    assertThat(device.runtime().device(device.pciBusId().orElseThrow())).isEqualTo(device);
  }

  @Test
  void vadd_addsWhateverTheSize() {
    for (int count : new int[] {1, 3, 255, 256, 257, 100_003}) {
      float[] sums = new float[count];
      try (DeviceBuffer a = floats(ramp(count, 1));
          DeviceBuffer b = floats(ramp(count, 0.5f));
          DeviceBuffer out = device.allocate(4L * count)) {
        module
            .function("vadd")
            .launch(
                LaunchConfig.covering(count, 256), stream, KernelArguments.of(a, b, out, count));
        stream.synchronize();
        out.copyTo(sums);
      }
      for (int i = 0; i < count; i++) {
        assertThat(sums[i]).isEqualTo(1f + i + (0.5f + i));
      }
    }
  }

  @Test
  void arguments_ofEveryKindArrive() {
    try (DeviceBuffer six = device.allocate(48);
        DeviceBuffer three = device.allocate(24)) {
      launchOne("mixed", (byte) -1, (short) -2, -3, -4L, 5.5f, -6.25, six);
      assertThat(doubles(six)).containsExactly(-1, -2, -3, -4, 5.5, -6.25);

      ByteBuffer pair = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
      launchOne("pair", pair.putFloat(0, 1.5f).putDouble(8, 2.5), (short) 3, three);
      assertThat(doubles(three)).containsExactly(1.5, 2.5, 3);
    }
  }

  @Test
  void shape_isTheConfigurations() {
    try (DeviceBuffer out = device.allocate(48)) {
      LaunchConfig config =
          LaunchConfig.of(new Dim3(2, 3, 4), new Dim3(8, 4, 2)).withSharedMemory(512);
      module.function("shape").launch(config, stream, KernelArguments.of(out));
      stream.synchronize();
      assertThat(doubles(out)).containsExactly(2, 3, 4, 8, 4, 2);
    }
  }

  /** The opposite of what a launch alone could show: that it waits for the copies before it. */
  @Test
  void launch_rightAfterACopy_findsAllOfIt() {
    int count = 1 << 20;
    LaunchConfig config = LaunchConfig.covering(count, 256);
    HipFunction scale = module.function("scale");
    try (DeviceBuffer x = device.allocate(4L * count)) {
      for (int round = 1; round <= 20; round++) {
        float[] values = ramp(count, round);
        x.copyFrom(values);
        scale.launch(config, stream, KernelArguments.of(x, 2.0, (long) count));
        stream.synchronize();
        float[] scaled = new float[count];
        x.copyTo(scaled);
        assertThat(scaled[0]).isEqualTo(2f * round);
        assertThat(scaled[count - 1]).isEqualTo(2f * values[count - 1]);
      }
    }
  }

  @Test
  void copies_ofEveryWay_areTheSameBytes() {
    for (int size : new int[] {1, 7, 4096, 65_537, (1 << 20) + 3}) {
      byte[] bytes = new byte[size];
      new Random(size).nextBytes(bytes);
      try (DeviceBuffer first = device.allocate(size);
          DeviceBuffer second = stream.allocate(size);
          PinnedBuffer pinned = device.allocatePinned(size)) {
        first.copyFrom(bytes);
        second.copyFrom(first, stream);
        second.copyTo(pinned.bytes(), stream);
        stream.synchronize();
        byte[] there = new byte[size];
        pinned.bytes().get(there);
        assertThat(there).isEqualTo(bytes);

        ByteBuffer direct = ByteBuffer.allocateDirect(size);
        first.fill((byte) 7);
        first.copyTo(direct);
        assertThat(direct.get(size - 1)).isEqualTo((byte) 7);
        first.copyFrom(pinned.bytes(), stream);
        stream.synchronize();
        first.copyTo(there);
        assertThat(there).isEqualTo(bytes);
      }
    }
  }

  @Test
  void events_orderStreamsAndKeepTime() {
    int count = 1 << 20;
    try (HipStream other = device.createStream();
        HipEvent start = device.createEvent();
        HipEvent stop = device.createEvent();
        DeviceBuffer x = floats(ramp(count, 1));
        PinnedBuffer back = device.allocatePinned(4)) {
      start.record(stream);
      module
          .function("scale")
          .launch(
              LaunchConfig.covering(count, 256), stream, KernelArguments.of(x, 3.0, (long) count));
      stop.record(stream);
      other.waitFor(stop);
      x.slice(0, 4).copyTo(back.bytes(), other);
      other.synchronize();
      assertThat(back.bytes().getFloat(0)).isEqualTo(3);
      stop.synchronize();
      assertThat(stop.isDone()).isTrue();
      assertThat(stop.elapsedSince(start)).isPositive();
    }
  }

  @Test
  void global_isTheVariablesMemory() {
    int[] table = new int[16];
    module.global("table").copyTo(table);
    assertThat(table).startsWith(1, 4, 9, 16, 0);

    table[0] = 77;
    module.global("table").copyFrom(table);
    try (DeviceBuffer out = device.allocate(256)) {
      module.function("bounded").launch(LaunchConfig.of(1, 64), stream, KernelArguments.of(out));
      stream.synchronize();
      assertThat(module.global("zeroes").size()).isEqualTo(24);
    }
    assertThat(catchThrowableOfType(HipException.class, () -> module.global("nothing")).code())
        .isEqualTo(500);
  }

  @Test
  void functions_sayWhatTheyTake() {
    HipFunction bounded = module.function("bounded");
    FunctionAttributes attributes = bounded.attributes();

    assertThat(attributes.maxThreadsPerBlock()).isEqualTo(64);
    assertThat(attributes.sharedMemoryBytes()).isGreaterThanOrEqualTo(1024);
    assertThat(bounded.metadata().sharedMemoryBytes()).isEqualTo(attributes.sharedMemoryBytes());
    assertThat(bounded.activeBlocksPerComputeUnit(64, 0)).isPositive();
    assertThat(bounded.suggestedConfig(0, 0).blockDims().count()).isBetween(1L, 64L);
  }

  @Test
  void memoryBeyondTheDevices_isRefused() {
    HipException failure =
        catchThrowableOfType(HipException.class, () -> device.allocate(1L << 50));

    assertThat(failure.function()).isEqualTo("hipMalloc");
    assertThat(failure.code()).isEqualTo(2);
    assertThat(failure.errorName()).isEqualTo("hipErrorOutOfMemory");
  }

  @Test
  void manyThreadsWithManyStreams_computeAllOfIt() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> threads = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        float first = thread;
        threads.add(executor.submit(() -> doubleOnSeveralStreams(first)));
      }
      for (Future<?> thread : threads) {
        thread.get();
      }
    } finally {
      executor.shutdown();
    }
  }

  /** Each launch doubles: one that is lost, or made with another's arguments, shows. */
  private void doubleOnSeveralStreams(float first) {
    int count = 10_007;
    HipFunction scale = module.function("scale");
    List<HipStream> streams = new ArrayList<>();
    List<DeviceBuffer> buffers = new ArrayList<>();
    try {
      for (int i = 0; i < STREAMS; i++) {
        HipStream queue = device.createStream();
        DeviceBuffer x = floats(ramp(count, first + i));
        streams.add(queue);
        buffers.add(x);
        for (int round = 0; round < 10; round++) {
          KernelArguments arguments = KernelArguments.of(x, 2.0, (long) count);
          scale.launch(LaunchConfig.covering(count, 128), queue, arguments);
        }
      }
      for (int i = 0; i < STREAMS; i++) {
        streams.get(i).synchronize();
        float[] result = new float[count];
        buffers.get(i).copyTo(result);
        assertThat(result[0]).isEqualTo(1024 * (first + i));
        assertThat(result[count - 1]).isEqualTo(1024 * (first + i + count - 1));
      }
    } finally {
      streams.forEach(HipStream::close);
      buffers.forEach(DeviceBuffer::close);
    }
  }

  @Test
  void close_inEveryOrderWithWorkUnderWay_isSafe() throws Exception {
    int count = 1 << 20;
    Random random = new Random(1);
    for (int round = 0; round < 24; round++) {
      HipModule code = device.load(module.codeObject());
      HipStream queue = device.createStream();
      DeviceBuffer x = floats(ramp(count, 1));
      for (int i = 0; i < 8; i++) {
        code.function("scale")
            .launch(
                LaunchConfig.covering(count, 256), queue, KernelArguments.of(x, 1.5, (long) count));
      }
      List<AutoCloseable> closing = new ArrayList<>(List.of(code, queue, x));
      Collections.shuffle(closing, random);
      for (AutoCloseable one : closing) {
        one.close();
      }
    }
    device.synchronize();
  }
}
