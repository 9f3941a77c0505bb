// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a {@link KernelManager} does on every GPU, with a real compiler: nothing looks behind it.
 */
abstract class KernelManagerContract {
  private static final int THREADS = 32;
  private static final int STREAMS = 4;

  /** What is compiled for a device. */
  enum Image {
    /** Code for exactly its processor. */
    OWN,
    /** PTX, which NVIDIA's driver compiles. */
    PTX
  }

  /** One directory for all tests of a class, so that the compiler runs once for most of them. */
  @TempDir private static Path shared;

  private final Image image;
  @TempDir private Path fresh;
  private TestGpu gpu;
  private HipDevice device;
  private CacheManager cache;

  KernelManagerContract(Image image) {
    this.image = image;
  }

  /** Returns where to run; may skip the test. */
  abstract TestGpu gpu();

  @BeforeEach
  void open() {
    gpu = gpu();
    gpu.reset();
    device = HipRuntime.find(gpu.environment(shared)).device("0");
    cache = cache();
  }

  private CacheManager cache() {
    CacheManagerBuilder builder = CacheManager.builder().environment(gpu.environment(shared));
    return (image == Image.PTX ? builder.target(ptx()) : builder).build();
  }

  @AfterEach
  void close() {
    if (cache != null) {
      cache.close();
      gpu.checkNothingIsLeft();
    }
  }

  private TargetId ptx() {
    return TargetId.parse(device.target().toString().replace("sm_", "compute_"));
  }

  private KernelManager manager() {
    return KernelManager.builder().device(device).cache(cache).build();
  }

  private Probe start(Class<?> program, Path directory, String... arguments) throws Exception {
    Map<String, String> environment = gpu.environment(directory);
    if (image == Image.PTX) {
      environment.put("KCACHE_ARCH", ptx().toString());
    }
    return Probe.start(fresh, program, environment, arguments);
  }

  @Test
  void source_becomesAKernelThatRuns() {
    try (KernelManager kernels = manager()) {
      assertThat(ProbeKernels.compute(kernels)).isTrue();
      LoadedModule module = kernels.getOrCompile(ProbeKernels.SOURCE);
      assertThat(module.codeObject().format() == Format.PTX).isEqualTo(image == Image.PTX);
      assertThat(module.codeObject().target().runsOn(device.target())).isTrue();
    }
  }

  @Test
  void instancesOfATemplate_runByTheirNames() {
    KernelSource source =
        ProbeKernels.TEMPLATE
            .withInstantiation("times<float, 3>")
            .withInstantiation("times<int, 5>");
    KernelSource alias =
        ProbeKernels.TEMPLATE
            .withInstantiation("times<float, 2 + 1>")
            .withInstantiation("times<int, 5>");
    try (KernelManager kernels = manager()) {
      // Their code objects may be the same, and so the module, but not the names in it.
      kernels.kernel(alias, "times<float, 2+1>");
      computeByInstances(kernels, source);
      kernels.kernel(alias, "times<float, 2+1>");
    }
    try (CacheManager later = cache();
        KernelManager kernels = KernelManager.builder().device(device).cache(later).build()) {
      computeByInstances(kernels, source);
      assertThat(later.statistics().compiles()).isZero();
    }
  }

  private void computeByInstances(KernelManager kernels, KernelSource source) {
    LoadedModule module = kernels.getOrCompile(source);
    int[] values = {1, 2, 3};
    try (HipStream stream = device.createStream();
        DeviceBuffer x = ProbeKernels.ramp(device, 1000, 1);
        DeviceBuffer y = device.allocate(12)) {
      y.copyFrom(values);
      module
          .function("times<float,3>")
          .launch(LaunchConfig.covering(1000, 64), stream, KernelArguments.of(x, 1000L));
      module
          .function(" times< int , 5 > ")
          .launch(LaunchConfig.covering(3, 64), stream, KernelArguments.of(y, 3L));
      stream.synchronize();
      y.copyTo(values);
      assertThat(ProbeKernels.isRamp(x, 1, 3)).isTrue();
      assertThat(values).containsExactly(5, 10, 15);
    }
    assertThatThrownBy(() -> module.function("times<double, 3>"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there is no kernel times<double, 3> in the code object");
  }

  @Test
  void manyThreadsWithManyStreams_throughOneManager_computeAllOfIt() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    CountDownLatch ready = new CountDownLatch(THREADS);
    try (KernelManager kernels = manager()) {
      List<Future<Boolean>> results = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        float first = thread;
        results.add(
            executor.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return doubleOnSeveralStreams(kernels, first);
                }));
      }
      for (Future<Boolean> result : results) {
        assertThat(result.get(120, SECONDS)).isTrue();
      }
      assertThat(cache.statistics().compiles()).isLessThanOrEqualTo(1);
    } finally {
      executor.shutdownNow();
    }
  }

  /** Each launch doubles: one that is lost, or made with another's arguments, shows. */
  private static boolean doubleOnSeveralStreams(KernelManager kernels, float first) {
    HipFunction scale = kernels.kernel(ProbeKernels.SOURCE, "scale");
    List<HipStream> streams = new ArrayList<>();
    List<DeviceBuffer> buffers = new ArrayList<>();
    boolean right = true;
    try {
      for (int i = 0; i < STREAMS; i++) {
        streams.add(kernels.device().createStream());
        buffers.add(ProbeKernels.ramp(kernels.device(), 10_007, first + i));
      }
      for (int round = 0; round < 10; round++) {
        for (int i = 0; i < STREAMS; i++) {
          KernelArguments arguments = KernelArguments.of(buffers.get(i), 2.0, 10_007L);
          scale.launch(LaunchConfig.covering(10_007, 128), streams.get(i), arguments);
        }
      }
      for (int i = 0; i < STREAMS; i++) {
        streams.get(i).synchronize();
        right &= ProbeKernels.isRamp(buffers.get(i), first + i, 1024);
      }
    } finally {
      streams.forEach(HipStream::close);
      buffers.forEach(DeviceBuffer::close);
    }
    return right;
  }

  @Test
  void twoProcesses_compileOnceAndBothCompute() throws Exception {
    List<Probe> processes = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      processes.add(start(ComputeProbe.class, fresh));
    }
    List<String> lines = new ArrayList<>();
    for (Probe process : processes) {
      lines.addAll(process.lines());
    }
    assertThat(lines).containsExactlyInAnyOrder("compiled, right", "hit, right");
  }

  /** AMD's runtime ends the process at a fault, and tells nobody else. */
  @Test
  void kernelThatFaults_isReportedByItsNameAndTheProcessEndsCleanly() throws Exception {
    if (gpu.isReal() && gpu.platform() == Platform.AMD) {
      return;
    }
    assertThat(start(FaultProbe.class, shared).lines())
        .singleElement()
        .asString()
        .startsWith("hipStreamSynchronize: hipErrorIllegalAddress (700): ")
        .contains("the kernels in flight were vadd, fault;");
  }

  @Test
  void close_inEveryOrderWithWorkUnderWay_isSafe() throws Exception {
    int count = 1 << 20;
    Random random = new Random(1);
    for (int round = 0; round < 24; round++) {
      KernelManager kernels = manager();
      HipFunction scale = kernels.kernel(ProbeKernels.SOURCE, "scale");
      HipStream stream = device.createStream();
      DeviceBuffer x = ProbeKernels.ramp(device, count, 1);
      KernelArguments arguments = KernelArguments.of(x, 1.5, (long) count);
      LaunchConfig config = LaunchConfig.covering(count, 256);
      for (int i = 0; i < 8; i++) {
        scale.launch(config, stream, arguments);
      }
      List<AutoCloseable> closing = new ArrayList<>(List.of(kernels, stream, x));
      Collections.shuffle(closing, random);
      for (AutoCloseable one : closing) {
        one.close();
        assertThatThrownBy(() -> scale.launch(config, stream, arguments))
            .isInstanceOf(IllegalStateException.class);
      }
    }
    device.synchronize();
  }

  @Test
  void manyLaunches_leaveMemoryAsItIs() throws Exception {
    int launches = gpu.manyLaunches();
    List<String> lines = start(GrowthProbe.class, shared, Integer.toString(launches)).lines();

    assertThat(lines).hasSize(3).startsWith(launches + " launches");
    // What compiles Java comes and goes with 10 MiB; one argument block a launch would be 50.
    assertThat(number(lines.get(1))).as(lines.get(1)).isLessThan(24);
    assertThat(number(lines.get(2))).as(lines.get(2)).isLessThan(8);
  }

  private static int number(String line) {
    return Integer.parseInt(line.substring(0, line.indexOf(' ')));
  }

  @Test
  void otherUser_mayChangeWhatIsCurrentBetweenLaunches() {
    try (KernelManager kernels = manager();
        OtherUser other = gpu.otherUser(device);
        HipStream stream = device.createStream();
        DeviceBuffer x = ProbeKernels.ramp(device, 1000, 1)) {
      KernelArguments arguments = KernelArguments.of(x, 2.0, 1000L);
      for (int i = 0; i < 10; i++) {
        other.change(i);
        kernels
            .kernel(ProbeKernels.SOURCE, "scale")
            .launch(LaunchConfig.covering(1000, 64), stream, arguments);
      }
      stream.synchronize();
      float[] scaled = new float[1000];
      x.copyTo(scaled);
      assertThat(scaled[0]).isEqualTo(1024);
      assertThat(scaled[999]).isEqualTo(1024 * 1000);
    }
  }
}
