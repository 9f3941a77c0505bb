// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * A module and a stream of the stand-in, by HIP's functions, with bounds of the test's own. A wait
 * heeds no interrupt, so that only another thread can end a test that hangs.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class QueueTestBase {
  static final int PACKETS = 64;
  private static final int PAGE = 4096;

  final StandIn standIn = StandIn.build(Version.HSA_6_4);
  final long[] stream = new long[1];
  private final Limits limits;
  private final long[] module = new long[1];
  private final long[] function = new long[1];

  /** Has to stay while the module is loaded. */
  private ByteBuffer image;

  HsaLibrary library;
  Hip hip;

  /**
   * Creates a base.
   *
   * @param fullWait how long a launch waits for room
   * @param slice how long a wait goes on before it looks for failures
   */
  QueueTestBase(Duration fullWait, Duration slice) {
    limits = new Limits(1, PACKETS, 1 << 16, fullWait, slice);
  }

  @BeforeEach
  final void load() throws IOException {
    standIn.reset();
    library = HsaLibrary.link(standIn.library().toString(), limits);
    hip = library.functions();
    try (InputStream in = StandIn.class.getResourceAsStream("kernels/known-5.2-gfx90a.co")) {
      byte[] bytes = in.readAllBytes();
      image = ByteBuffer.allocateDirect(bytes.length + 2 * PAGE).alignedSlice(PAGE).put(bytes);
    }
    succeeds(hip.hipInit(0));
    succeeds(hip.hipGetDeviceCount(new int[1]));
    succeeds(hip.hipModuleLoadData(module, HipLibrary.address(image)));
    succeeds(
        hip.hipModuleGetFunction(
            function, module[0], "empty\0".getBytes(StandardCharsets.US_ASCII)));
    succeeds(hip.hipStreamCreateWithPriority(stream, 1, 0));
    standIn.async(true);
  }

  @AfterEach
  final void unload() {
    standIn.release();
    succeeds(hip.hipStreamDestroy(stream[0]));
    succeeds(hip.hipModuleUnload(module[0]));
    assertThat(image.isDirect()).isTrue();
    StandIn.Counters counters = standIn.counters();
    assertThat(counters).isEqualTo(StandIn.Counters.cleanAfter(counters.launches()));
  }

  static void succeeds(int status) {
    assertThat(status).isZero();
  }

  /** Returns the kernel that {@link #launch} launches. */
  final Kernel kernel() {
    return ((HsaHip) hip).kernel(function[0]);
  }

  final int launch() {
    return hip.hipModuleLaunchKernel(function[0], 1, 1, 1, 64, 1, 1, 0, stream[0], 0, 0);
  }
}
