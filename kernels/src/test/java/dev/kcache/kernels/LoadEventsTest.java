// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheEvent;
import dev.kcache.cache.CacheEvent.LoadFailed;
import dev.kcache.cache.CacheEvent.LoadFinished;
import dev.kcache.cache.CacheEvent.LoadStarted;
import dev.kcache.cache.CacheListener;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import dev.kcache.toolchain.ToolchainLabel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cache's listener hears of the loads of a {@link KernelManager}. */
class LoadEventsTest {
  private static final CodeObject CODE = FixedToolchain.fixture("/kernels/hipcc-5.2-gfx90a.co");
  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");
  private static final ToolchainLabel LABEL = new ToolchainLabel("5.2");
  private static final int OUT_OF_MEMORY = 2;
  private static final ThreadLocal<String> CONTEXT = ThreadLocal.withInitial(() -> "none");

  @TempDir private Path temp;
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private StandIn standIn;
  private HipDevice device;
  private CacheManager cache;
  private KernelManager kernels;

  /** Writes down loads, with the context that each is called in. */
  private final class Recorder implements CacheListener {
    private LoadStarted begun;

    @Override
    public Executor context() {
      String captured = CONTEXT.get();
      return task -> {
        String before = CONTEXT.get();
        CONTEXT.set(captured);
        task.run();
        CONTEXT.set(before);
      };
    }

    @Override
    public void onEvent(CacheEvent event) {
      if (event instanceof LoadStarted started) {
        assertThat(started)
            .isEqualTo(
                new LoadStarted("k.hip", CODE.target(), LABEL, CODE.digest(), device.ordinal()));
        begun = started;
        heard.add(CONTEXT.get() + ": begun");
      } else if (event instanceof LoadFinished finished) {
        assertThat(finished.started()).isSameAs(begun);
        assertThat(finished.elapsed()).isPositive();
        heard.add(CONTEXT.get() + ": loaded");
      } else if (event instanceof LoadFailed failed) {
        assertThat(failed.started()).isSameAs(begun);
        heard.add(CONTEXT.get() + ": " + ((HipException) failed.failure()).code());
      }
    }
  }

  @BeforeEach
  void open() {
    standIn = StandIn.build(Version.HIP_6_4).devices("gfx90a", "gfx90a");
    device = HipRuntime.at(standIn.directory()).devices().get(1);
    cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", temp.toString()))
            .toolchain(new FixedToolchain(CODE, LABEL, new CountDownLatch(0)))
            .listener(new Recorder())
            .build();
    kernels = KernelManager.builder().device(device).cache(cache).build();
  }

  @AfterEach
  void close() {
    CONTEXT.remove();
    kernels.close();
    cache.close();
  }

  @Test
  void load_isToldOnce() {
    CONTEXT.set("caller");
    kernels.getOrCompile(SOURCE);
    kernels.getOrCompile(SOURCE);

    assertThat(heard).containsExactly("caller: begun", "caller: loaded");
  }

  @Test
  void asyncLoad_isToldInTheContextOfItsCaller() {
    CONTEXT.set("caller");
    kernels.getOrCompileAsync(SOURCE).join();

    assertThat(heard).containsExactly("caller: begun", "caller: loaded");
  }

  @Test
  void failedLoad_isToldEachTime() {
    standIn.fail("hipModuleLoadData", OUT_OF_MEMORY, 0, 1);
    assertThatThrownBy(() -> kernels.getOrCompile(SOURCE)).isInstanceOf(HipException.class);
    kernels.getOrCompile(SOURCE);

    assertThat(heard).containsExactly("none: begun", "none: 2", "none: begun", "none: loaded");
  }
}
