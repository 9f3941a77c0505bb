// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.cache.CacheEvent;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KcacheException;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import dev.kcache.toolchain.ToolchainLabel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers of a {@link KernelManager} whose code object the driver does not load. */
class LoadFailuresTest {
  private static final CodeObject CODE = FixedToolchain.fixture("/kernels/hipcc-5.2-gfx90a.co");
  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");
  private static final int OUT_OF_MEMORY = 2;
  private static final int NO_BINARY_FOR_GPU = 209;

  @TempDir private Path temp;
  private StandIn standIn;
  private CacheManager cache;
  private KernelManager kernels;

  /** Called by the thread that loads, before the driver is. */
  private volatile Runnable beforeLoad = () -> {};

  @BeforeEach
  void open() {
    standIn = StandIn.build(Version.HIP_6_4).devices("gfx90a");
    cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", temp.toString()))
            .toolchain(new FixedToolchain(CODE, new ToolchainLabel("5.2"), new CountDownLatch(0)))
            .listener(
                event -> {
                  if (event instanceof CacheEvent.LoadStarted) {
                    beforeLoad.run();
                  }
                })
            .build();
    kernels =
        KernelManager.builder()
            .device(HipRuntime.at(standIn.directory()).devices().get(0))
            .cache(cache)
            .build();
  }

  @AfterEach
  void close() {
    kernels.close();
    cache.close();
  }

  private <E extends KcacheException> E failure(Class<E> type) {
    return catchThrowableOfType(type, () -> kernels.getOrCompile(SOURCE));
  }

  @Test
  void callerThatWaitsForALoad_getsAnExceptionOfItsOwn() throws Exception {
    standIn.fail("hipModuleLoadData", OUT_OF_MEMORY, 0, 1);
    FutureTask<HipException> waiting = new FutureTask<>(() -> failure(HipException.class));
    Thread waiter = new Thread(waiting);
    beforeLoad =
        () -> {
          beforeLoad = () -> {};
          waiter.start();
          while (waiter.getState() != Thread.State.WAITING && waiter.isAlive()) {
            Thread.onSpinWait();
          }
        };

    HipException loaders = failure(HipException.class);

    assertThat(waiting.get())
        .isNotSameAs(loaders)
        .hasCause(loaders)
        .usingRecursiveComparison()
        .ignoringFields("cause", "stackTrace", "suppressedExceptions")
        .isEqualTo(loaders);
    assertThat(waiting.get().getStackTrace())
        .extracting(StackTraceElement::getClassName)
        .contains(FutureTask.class.getName());
  }

  @Test
  void callerOfASourceThatWasRefused_getsAnExceptionOfItsOwn() {
    standIn.fail("hipModuleLoadData", NO_BINARY_FOR_GPU, 0, 1);
    KernelLoadException first = failure(KernelLoadException.class);

    KernelLoadException second = failure(KernelLoadException.class);

    assertThat(second).isNotSameAs(first).hasMessage(first.getMessage()).hasCause(first);
    assertThat(second.codeObject()).isEqualTo(first.codeObject());
  }
}
