// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What only NVIDIA's platform has, on this machine's own GPU. */
@Tag("gpu")
class CudaGpuTest extends CudaContract {
  @BeforeAll
  static void requireDevice() {
    ThisMachine.requireDevice(Platform.NVIDIA);
  }

  @Override
  HipDevice device() {
    return ThisMachine.device();
  }

  /**
   * PTX whose kernel uses a variable of the module's: what it takes is known only to the driver,
   * and more has to be asked for from 48 KiB on, all of it together.
   */
  @Test
  void sharedMemory_ofTheModule_countsForTheKernel() {
    assumeTrue(System.getenv("KCACHE_STAND_IN") == null, "a stand-in compiles no PTX");
    HipDevice device = device();
    int dynamic = 40 * 1024;
    try (HipModule module = device.load(CodeObject.parse(MODULE_WIDE.getBytes(US_ASCII)));
        HipStream stream = device.createStream();
        DeviceBuffer out = device.allocate(Integer.BYTES)) {
      HipFunction function = module.function("both");
      LaunchConfig config = LaunchConfig.of(1, 1).withSharedMemory(dynamic);

      function.launch(config, stream, KernelArguments.of(out, dynamic - Integer.BYTES));
      stream.synchronize();

      int[] sum = new int[1];
      out.copyTo(sum);
      assertThat(sum).containsExactly(5);
      // Newer processors reserve 1 KiB of it.
      assertThat(function.attributes().sharedMemoryBytes()).isBetween(12_000, 13_024);
      long most = device.properties().limits().sharedMemoryBytes();
      assertThatThrownBy(
              () ->
                  function.launch(
                      config.withSharedMemory((int) most - 8000),
                      stream,
                      KernelArguments.of(out, 0)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(" static,");
    }
  }

  private static final String MODULE_WIDE =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .shared .align 4 .b8 fixed[12000];
      .extern .shared .align 4 .b8 rest[];
      .visible .entry both(.param .u64 out, .param .u32 last)
      {
        .reg .b64 %rd<4>;
        .reg .b32 %r<8>;
        ld.param.u64 %rd1, [out];
        ld.param.u32 %r1, [last];
        mov.u32 %r2, rest;
        add.u32 %r2, %r2, %r1;
        mov.u32 %r3, 2;
        st.shared.u32 [%r2], %r3;
        mov.u32 %r4, fixed;
        mov.u32 %r5, 3;
        st.shared.u32 [%r4+11996], %r5;
        bar.sync 0;
        ld.shared.u32 %r6, [%r2];
        ld.shared.u32 %r7, [%r4+11996];
        add.u32 %r6, %r6, %r7;
        cvta.to.global.u64 %rd2, %rd1;
        st.global.u32 [%rd2], %r6;
        ret;
      }
      """;
}
