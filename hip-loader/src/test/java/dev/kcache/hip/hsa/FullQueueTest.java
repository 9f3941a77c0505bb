// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Launches on a queue that is full, with smaller bounds than real ones. */
class FullQueueTest extends QueueTestBase {
  FullQueueTest() {
    super(Duration.ofMillis(100), Duration.ofMillis(5));
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
