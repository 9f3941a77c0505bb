// SPDX-License-Identifier: Apache-2.0
package com.example;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kcache.kernels.KernelManager;
import dev.kcache.testing.StandInGpu;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The application on a GPU in Java. */
class AppTest {
  @Test
  void saxpy_addsTheProduct() {
    StandInGpu.Builder builder = StandInGpu.builder();
    new Bodies().configure(builder);
    try (StandInGpu gpu = builder.build()) {
      try (KernelManager kernels = KernelManager.builder().device(gpu.device()).build()) {
        assertArrayEquals(
            new float[] {3, 6, 9, 12}, App.saxpy(kernels, 2, new float[] {1, 2, 3, 4}));
      }
      assertEquals(List.of(), gpu.leaks());
    }
  }
}
