// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.hip.UnsupportedCodeObjectException;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.Toolchain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From source to results: the real hipcc, and the stand-in for the runtime. */
class KernelManagerTest {
  private static final int NO_BINARY_FOR_GPU = 209;
  private static final int OUT_OF_MEMORY = 2;
  private static final String LOAD = "hipModuleLoadData";
  private static final String DEVICE = "gfx90a:sramecc+:xnack-";
  private static final KernelSource VADD =
      KernelSource.of(
          "vadd.hip",
          """
          #include <hip/hip_runtime.h>
          extern "C" __global__ void vadd(const float* a, const float* b, float* out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = a[i] + b[i];
          }
          """);

  /** One directory for all, so that the compiler runs once. */
  @TempDir private static Path compiled;

  @TempDir private Path temp;
  private StandIn standIn;

  @BeforeAll
  static void compile() {
    try (CacheManager cache = CacheManager.builder().environment(environment(compiled)).build()) {
      cache.getOrCompile(VADD, TargetId.parse("gfx90a"));
    }
  }

  @BeforeEach
  void oneDevice() {
    standIn = StandIn.build(Version.HIP_6_4).devices(DEVICE);
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(standIn.counters())
        .isEqualTo(StandIn.Counters.cleanAfter(standIn.counters().launches()));
  }

  private static Map<String, String> environment(Path directory, String... pairs) {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", System.getenv("PATH"));
    environment.put("KCACHE_DIR", directory.toString());
    for (int i = 0; i < pairs.length; i += 2) {
      environment.put(pairs[i], pairs[i + 1]);
    }
    return environment;
  }

  private KernelManager manager(String... pairs) {
    return manager(compiled, pairs);
  }

  private KernelManager manager(Path directory, String... pairs) {
    Map<String, String> environment = environment(directory, pairs);
    environment.put("KCACHE_HIP_LIBRARY", standIn.directory().toString());
    return KernelManager.builder().environment(environment).build();
  }

  /** A manager of the test's own directory with another compiler of the same version. */
  private CacheManager other(Toolchain toolchain) {
    return CacheManager.builder().environment(environment(temp)).toolchain(toolchain).build();
  }

  /** Stores another compiler's code object in the test's own directory, and returns it. */
  private CodeObject storeAnother() {
    CodeObject other = FixedToolchain.fixture("/kernels/hipcc-5.2-gfx90a.co");
    try (CacheManager others = other(FixedToolchain.of(other))) {
      return others.getOrCompile(VADD, TargetId.parse("gfx90a"));
    }
  }

  private List<HipDevice> devices() {
    return HipRuntime.at(standIn.directory()).devices();
  }

  private static float[] add(HipDevice device, HipFunction vadd, int n) {
    float[] numbers = new float[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = i;
    }
    try (DeviceBuffer a = device.allocate(4L * n);
        DeviceBuffer out = device.allocate(4L * n);
        HipStream stream = device.createStream()) {
      a.copyFrom(numbers);
      vadd.launch(LaunchConfig.of((n + 63) / 64, 64), stream, KernelArguments.of(a, a, out, n));
      stream.synchronize();
      out.copyTo(numbers);
    }
    return numbers;
  }

  /** Returns what a call gives on as many threads, each with its number. */
  private static List<LoadedModule> inThreads(int count, IntFunction<LoadedModule> call)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<LoadedModule> results = new ArrayList<>();
      for (Future<LoadedModule> result :
          IntStream.range(0, count).mapToObj(i -> threads.submit(() -> call.apply(i))).toList()) {
        results.add(result.get(60, SECONDS));
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  /** As HIP 5.1 can't, it says so. */
  @Test
  void builder_asksTheRuntimeToSurviveFaults() {
    standIn.devices(DEVICE).configure("version=50100000");
    List<String> notices = new ArrayList<>();
    Logger logger = Logger.getLogger(HipRuntime.class.getName());
    logger.setFilter(entry -> !notices.add(entry.getMessage()));
    try {
      Map<String, String> environment = environment(compiled);
      environment.put("KCACHE_HIP_LIBRARY", standIn.directory().toString());
      KernelManager.builder().environment(environment).build().close();
      assertThat(notices).isEmpty();

      KernelManager.builder().environment(environment).surviveFaults().build().close();
    } finally {
      logger.setFilter(null);
      standIn.configure("version=0");
    }
    // The reason depends on what else this process has loaded.
    assertThat(notices).singleElement().asString().startsWith("a GPU fault will end the process: ");
  }

  @Test
  void prewarmedForAnyFeatures_isHitByTheDevice() {
    try (KernelManager kernels = manager()) {
      assertThat(kernels.getOrCompile(VADD).codeObject().target()).hasToString("gfx90a");
      assertThat(kernels.cache().statistics().compiles()).isZero();
    }
  }

  @Test
  void manyThreads_loadOnce() throws Exception {
    try (KernelManager kernels = manager()) {
      List<LoadedModule> modules = inThreads(32, i -> kernels.getOrCompile(VADD));
      assertThat(modules).allSatisfy(module -> assertThat(module).isSameAs(modules.get(0)));
    }
    assertThat(standIn.calls(LOAD)).isEqualTo(1);
  }

  @Test
  void eachDevice_hasItsOwnModule() {
    standIn.devices(DEVICE, DEVICE).interfere(true);
    try (KernelManager kernels = manager()) {
      List<HipDevice> devices = devices();
      for (HipDevice device : devices) {
        LoadedModule module = kernels.getOrCompile(VADD, device);
        assertThat(module.device()).isEqualTo(device);
        assertThat(add(device, module.function("vadd"), 3)).containsExactly(0, 2, 4);
      }
    }
    assertThat(standIn.calls(LOAD)).isEqualTo(2);
    standIn.interfere(false);
  }

  @Test
  void asyncTwin_givesTheSameModule() {
    try (KernelManager kernels = manager()) {
      LoadedModule module = kernels.getOrCompileAsync(VADD).join();
      assertThat(kernels.getOrCompile(VADD)).isSameAs(module);
    }
  }

  @Test
  void targetThatContradictsTheDevice_isRefusedWithBothNames() {
    try (KernelManager kernels = manager("ARCH", "gfx1030")) {
      assertThatThrownBy(() -> kernels.getOrCompile(VADD))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("gfx1030", DEVICE);
    }
    assertThat(standIn.calls(LOAD)).isZero();
  }

  @Test
  void imageThatTheDriverRefuses_isCompiledAnewAndStaysForOthers() {
    CodeObject refused = storeAnother();
    standIn.fail(LOAD, NO_BINARY_FOR_GPU, 0, 1);
    try (KernelManager kernels = manager(temp, "KCACHE_POLICY", "prefer-cache")) {
      LoadedModule module = kernels.getOrCompile(VADD);
      assertThat(module.codeObject()).isNotEqualTo(refused);
      assertThat(add(kernels.device(), module.function("vadd"), 3)).containsExactly(0, 2, 4);
      assertThat(kernels.getOrCompile(VADD)).isSameAs(module);
      assertThat(kernels.cache().statistics().compiles()).isEqualTo(1);
    }
    try (CacheManager others = other(FixedToolchain.of(refused))) {
      assertThat(others.getIfPresent(VADD, TargetId.parse("gfx90a"))).contains(refused);
    }
  }

  @Test
  void imageThatTheDriverRefuses_isToldOnceForAllManagersOfAProcess() {
    Notices.clear();
    CodeObject refused = storeAnother();
    List<String> notices = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(KernelManager.class.getName());
    logger.setFilter(
        entry -> {
          notices.add(entry.getMessage());
          return false;
        });
    try {
      for (int i = 0; i < 2; i++) {
        standIn.fail(LOAD, NO_BINARY_FOR_GPU, 0, 1);
        try (KernelManager kernels = manager(temp, "KCACHE_POLICY", "prefer-cache")) {
          assertThat(kernels.getOrCompile(VADD).codeObject()).isNotEqualTo(refused);
        }
      }
    } finally {
      logger.setFilter(null);
    }
    assertThat(notices).singleElement().asString().contains("is passed over");
  }

  @Test
  void imageThatTheDriverRefusesToMany_isCompiledAnewOnce() throws Exception {
    CodeObject unused = storeAnother();
    standIn.fail(LOAD, NO_BINARY_FOR_GPU, 0, 1);
    try (KernelManager kernels = manager(temp, "KCACHE_POLICY", "prefer-cache")) {
      List<LoadedModule> modules =
          inThreads(
              16,
              i ->
                  i % 2 == 0 ? kernels.getOrCompileAsync(VADD).join() : kernels.getOrCompile(VADD));
      assertThat(modules).extracting(LoadedModule::device).containsOnly(kernels.device());
      assertThat(kernels.cache().statistics().compiles()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void sourceThatTheDriverRefuses_failsInASecondManagerOfTheSameCacheToo() {
    standIn.fail(LOAD, NO_BINARY_FOR_GPU);
    try (CacheManager cache = CacheManager.builder().environment(environment(compiled)).build();
        KernelManager first =
            KernelManager.builder().device(devices().get(0)).cache(cache).build();
        KernelManager second =
            KernelManager.builder().device(devices().get(0)).cache(cache).build()) {
      assertThatThrownBy(() -> first.getOrCompile(VADD)).isInstanceOf(KernelLoadException.class);
      assertThatThrownBy(() -> second.getOrCompile(VADD)).isInstanceOf(KernelLoadException.class);
      assertThat(cache.statistics().compiles()).isEqualTo(1);
    }
  }

  @Test
  void closedManager_compilesNothing() {
    try (CacheManager cache = CacheManager.builder().environment(environment(temp)).build()) {
      KernelManager kernels = KernelManager.builder().device(devices().get(0)).cache(cache).build();
      kernels.close();
      assertThatThrownBy(() -> kernels.getOrCompile(VADD))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> kernels.getOrCompileAsync(VADD).join())
          .hasCauseInstanceOf(IllegalStateException.class);
      assertThat(cache.statistics().compiles()).isZero();
    }
  }

  @Test
  void sourceThatTheDriverRefusesAnewToo_failsAndIsNotCompiledForEver() {
    standIn.fail(LOAD, NO_BINARY_FOR_GPU);
    try (KernelManager kernels = manager()) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> kernels.getOrCompile(VADD))
            .isInstanceOf(KernelLoadException.class)
            .hasRootCauseInstanceOf(HipException.class)
            .hasMessageContainingAll("vadd.hip", "hipErrorNoBinaryForGpu", "gfx90a");
      }
      assertThatThrownBy(() -> kernels.getOrCompileAsync(VADD).join())
          .hasCauseInstanceOf(KernelLoadException.class);
      assertThat(kernels.cache().statistics().compiles()).isEqualTo(1);
    }
    standIn.reset().devices(DEVICE);
    try (KernelManager kernels = manager()) {
      assertThat(kernels.getOrCompile(VADD).codeObject().target()).hasToString("gfx90a");
      assertThat(kernels.cache().statistics().compiles()).isZero();
    }
  }

  @Test
  void codeObjectVersionThatTheRuntimeCannotLoad_isNeverGivenToIt() {
    standIn = StandIn.build(Version.HIP_5_2).devices(DEVICE);
    KernelSource newer = VADD.withOptions(CompileOptions.of("-mcode-object-version=5"));
    try (KernelManager kernels = manager(temp)) {
      assertThatThrownBy(() -> kernels.getOrCompile(newer))
          .isInstanceOf(KernelLoadException.class)
          .hasCauseInstanceOf(UnsupportedCodeObjectException.class);
    }
    assertThat(standIn.calls(LOAD)).isZero();
  }

  @Test
  void otherFailureOfALoad_isNoRefusalAndIsTriedAgain() {
    standIn.fail(LOAD, OUT_OF_MEMORY, 0, 1);
    try (KernelManager kernels = manager()) {
      assertThatThrownBy(() -> kernels.getOrCompile(VADD))
          .isInstanceOfSatisfying(
              HipException.class, e -> assertThat(e.code()).isEqualTo(OUT_OF_MEMORY));
      assertThat(add(kernels.device(), kernels.kernel(VADD, "vadd"), 3)).containsExactly(0, 2, 4);
      assertThat(kernels.cache().statistics().compiles()).isZero();
    }
  }

  @Test
  void close_unloadsWhatIsInFlightAfterItIsDone() {
    standIn.async(true).delay(20_000);
    KernelManager kernels = manager();
    HipDevice device = kernels.device();
    HipFunction vadd = kernels.kernel(VADD, "vadd");
    try (DeviceBuffer a = device.allocate(256);
        HipStream stream = device.createStream()) {
      for (int i = 0; i < 5; i++) {
        vadd.launch(LaunchConfig.of(1, 64), stream, KernelArguments.of(a, a, a, 64));
      }
      kernels.close();
      assertThat(standIn.counters().modules()).isZero();
      assertThat(standIn.counters().unloadedInFlight()).isZero();
      assertThatThrownBy(
              () -> vadd.launch(LaunchConfig.of(1, 64), stream, KernelArguments.of(a, a, a, 64)))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThatThrownBy(() -> kernels.getOrCompile(VADD)).isInstanceOf(IllegalStateException.class);
    kernels.close();
  }

  @Test
  void closeWhileManyLoad_leavesNothingLoaded() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int round = 0; round < 20; round++) {
        KernelManager kernels = manager();
        CountDownLatch started = new CountDownLatch(8);
        List<Future<?>> requests = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          requests.add(
              threads.submit(
                  () -> {
                    started.countDown();
                    return kernels.getOrCompile(VADD);
                  }));
        }
        started.await();
        kernels.close();
        for (Future<?> request : requests) {
          try {
            request.get(60, SECONDS);
          } catch (java.util.concurrent.ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(IllegalStateException.class);
          }
        }
        assertThat(standIn.counters().modules()).isZero();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
