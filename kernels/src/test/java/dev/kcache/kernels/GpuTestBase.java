// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A directory of its own on this machine's GPU, with the compiler that is in use. */
@Tag("gpu")
abstract class GpuTestBase {
  @TempDir private Path directory;
  KernelManager kernels;
  HipDevice device;
  HipStream stream;

  @BeforeEach
  void open() {
    assumeTrue(
        System.getenv("KCACHE_STAND_IN") == null, "a stand-in does not run what a compiler made");
    TestGpu gpu = TestGpu.ofThisMachine();
    kernels = KernelManager.builder().environment(gpu.environment(directory)).build();
    device = kernels.device();
    stream = device.createStream();
  }

  @AfterEach
  void close() {
    if (stream != null) {
      stream.close();
    }
    if (kernels != null) {
      kernels.close();
    }
  }
}
