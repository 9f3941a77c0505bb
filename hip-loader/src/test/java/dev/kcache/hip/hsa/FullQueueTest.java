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
import org.junit.jupiter.api.Test;

/** Launches on a queue that is full, with smaller bounds than real ones. */
class FullQueueTest {
  private static final int PACKETS = 64;
  private static final int PAGE = 4096;
  private static final Limits LIMITS =
      new Limits(1, PACKETS, 1 << 16, Duration.ofMillis(100), Duration.ofMillis(5));

  private final StandIn standIn = StandIn.build(Version.HSA_6_4);
  private final long[] module = new long[1];
  private final long[] stream = new long[1];
  private final long[] function = new long[1];

  /** Has to stay while the module is loaded. */
  private ByteBuffer image;

  private HsaLibrary library;
  private Hip hip;

  @BeforeEach
  void load() throws IOException {
    standIn.reset();
    library = HsaLibrary.link(standIn.library().toString(), LIMITS);
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
  void unload() {
    standIn.release();
    succeeds(hip.hipStreamDestroy(stream[0]));
    succeeds(hip.hipModuleUnload(module[0]));
    assertThat(image.isDirect()).isTrue();
    StandIn.Counters counters = standIn.counters();
    assertThat(counters).isEqualTo(StandIn.Counters.cleanAfter(counters.launches()));
  }

  private static void succeeds(int status) {
    assertThat(status).isZero();
  }

  private int launch() {
    return hip.hipModuleLaunchKernel(function[0], 1, 1, 1, 64, 1, 1, 0, stream[0], 0, 0);
  }

  @Test
  void launch_thatFindsNoRoom_failsAfterABoundAndLeavesTheQueueWhole() {
    standIn.hold();
    int accepted = 0;
    int status = launch();
    while (status == 0) {
      accepted++;
      assertThat(accepted).isLessThanOrEqualTo(PACKETS);
      status = launch();
    }

    assertThat(accepted).isEqualTo(PACKETS);
    assertThat(status).isEqualTo(HsaFailure.LAUNCH_OUT_OF_RESOURCES);
    assertThat(library.platformCalls().hipGetErrorString(status))
        .isEqualTo("the queue of 64 packets is full, and none got done within 100 ms");
    standIn.release();
    succeeds(hip.hipStreamSynchronize(stream[0]));
    succeeds(launch());
    succeeds(hip.hipStreamSynchronize(stream[0]));
    assertThat(standIn.counters().launches()).isEqualTo(PACKETS + 1);
  }

  /** The indices and the memory for arguments go round many times. */
  @Test
  void launches_goOnAsPacketsGetDone() {
    for (int i = 0; i < 50 * PACKETS; i++) {
      succeeds(launch());
    }
    succeeds(hip.hipStreamSynchronize(stream[0]));
    assertThat(standIn.counters().launches()).isEqualTo(50 * PACKETS);
  }

  /** A stream that is closed with work under way waits for it. */
  @Test
  void packetsOfAnotherStream_shareTheQueue() {
    long[] other = new long[1];
    succeeds(hip.hipStreamCreateWithPriority(other, 1, 0));
    assertThat(standIn.calls("hsa_queue_create")).isEqualTo(1);
    standIn.hold();
    succeeds(launch());
    assertThat(hip.hipStreamQuery(stream[0])).isEqualTo(HsaFailure.NOT_READY);
    assertThat(hip.hipStreamQuery(other[0])).isZero();
    standIn.release();
    succeeds(hip.hipStreamDestroy(other[0]));
    assertThat(hip.hipStreamQuery(other[0])).isEqualTo(HsaFailure.INVALID_HANDLE);
  }
}
