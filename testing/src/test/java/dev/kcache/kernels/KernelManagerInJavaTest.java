// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.HipDevice;
import dev.kcache.testing.Known;
import dev.kcache.testing.StandInGpu;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** On the stand-in in Java, found by the environment, with hipcc. */
class KernelManagerInJavaTest extends KernelManagerContract {
  KernelManagerInJavaTest() {
    super(Image.OWN);
  }

  @Override
  TestGpu gpu() {
    return new GpuInJava();
  }

  private static final class GpuInJava implements TestGpu {
    @Override
    public Platform platform() {
      return Platform.AMD;
    }

    @Override
    public boolean isReal() {
      return false;
    }

    @Override
    public void reset() {
      StandInGpu.ofProcess().clearLaunches();
    }

    @Override
    public void checkNothingIsLeft() {
      assertThat(StandInGpu.ofProcess().leaks()).isEmpty();
    }

    /** With fewer, what compiles the stand-in's own Java is most of the growth. */
    @Override
    public int manyLaunches() {
      return 800_000;
    }

    @Override
    public Map<String, String> environment(Path directory) {
      return new HashMap<>(
          Map.of(
              "PATH", System.getenv("PATH"),
              "KCACHE_RUNTIME", "stand-in",
              "KCACHE_DIR", directory.toString()));
    }

    @Override
    public OtherUser otherUser(HipDevice device) {
      return new JavaUser();
    }
  }

  /** Changes the current device to the other one. */
  private static final class JavaUser implements OtherUser {
    @Override
    public void change(int number) {
      Known.makeCurrent(1);
    }

    @Override
    public void close() {
      Known.makeCurrent(0);
    }
  }
}
