// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.testing.Known;
import dev.kcache.testing.StandInGpu;
import org.junit.jupiter.api.AfterEach;

/** What every runtime does, by the stand-in in Java. */
class GpuInJavaTest extends GpuContract {
  private final StandInGpu gpu;

  GpuInJavaTest() {
    StandInGpu.Builder builder = StandInGpu.builder();
    new Known().configure(builder);
    gpu = builder.build();
  }

  @Override
  HipDevice device() {
    return gpu.device();
  }

  @Override
  @AfterEach
  void close() {
    super.close();
    gpu.close();
    assertThat(gpu.leaks()).isEmpty();
  }
}
