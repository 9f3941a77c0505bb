// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Queues that have packets of somebody else, and those that fail: nobody waits in vain. */
class SharedQueueTest extends QueueTestBase {
  private static final int EXCEPTION = 0x1016;
  private static final int JOIN_MILLISECONDS = 20_000;

  /** So long that only being woken ends a wait in time. */
  SharedQueueTest() {
    super(Duration.ofHours(1), Duration.ofHours(1));
  }

  private String reason(int status) {
    return library.platformCalls().hipGetErrorString(status);
  }

  /** Goes on after a device was given up. */
  private void startAnew() throws IOException {
    assertThat(standIn.counters().useAfterFree()).as("waits that nobody ended").isZero();
    standIn.reset();
    load();
  }

  @Test
  void packetsOfSomebodyElse_takeTheirPlaces() {
    standIn.foreignPackets(true);
    for (int i = 0; i < 10 * PACKETS; i++) {
      succeeds(launch());
    }
    succeeds(hip.hipStreamSynchronize(stream[0]));
    assertThat(standIn.counters().launches()).isEqualTo(10 * PACKETS);
  }

  @Test
  void kernelThatFailsAmongPacketsOfSomebodyElse_isNamed() throws IOException {
    standIn.foreignPackets(true).hold();
    long[] event = new long[1];
    succeeds(hip.hipEventCreateWithFlags(event, 0));
    succeeds(hip.hipEventRecord(event[0], stream[0]));
    succeeds(launch());
    standIn.failNextPacket(EXCEPTION).release();

    assertThat(reason(hip.hipStreamSynchronize(stream[0])))
        .isEqualTo("the kernel empty failed with EXCEPTION (0x1016)");
    startAnew();
  }

  /** The kernels that were in the same places before had nothing to do with it. */
  @Test
  void failureOfSomebodyElsesPacket_isBlamedOnNoKernel() throws IOException {
    for (int i = 0; i < 2 * PACKETS; i++) {
      succeeds(launch());
    }
    succeeds(hip.hipStreamSynchronize(stream[0]));
    standIn.foreignPackets(true).failNextForeignPacket(EXCEPTION);
    long[] event = new long[1];
    succeeds(hip.hipEventCreateWithFlags(event, 0));
    int unused = hip.hipEventRecord(event[0], stream[0]);

    assertThat(reason(hip.hipStreamSynchronize(stream[0])))
        .isEqualTo("the queue failed with EXCEPTION (0x1016)");
    startAnew();
  }

  /** One waits for its work, one for room in the full queue. */
  @Test
  void deathOfADevice_wakesAllWhoWait() throws IOException, InterruptedException {
    standIn.hold();
    for (int i = 0; i < PACKETS; i++) {
      succeeds(launch());
    }
    List<String> reasons = Collections.synchronizedList(new ArrayList<>());
    List<Thread> waiters =
        List.of(
            new Thread(() -> reasons.add(reason(hip.hipStreamSynchronize(stream[0])))),
            new Thread(() -> reasons.add(reason(launch()))));
    waiters.forEach(Thread::start);
    // Nothing tells that a thread waits in native code. One that does not yet is woken, too.
    Thread.sleep(100);
    standIn.failNextPacket(EXCEPTION).release();
    for (Thread waiter : waiters) {
      waiter.join(JOIN_MILLISECONDS);
      assertThat(waiter.isAlive()).as("still waits").isFalse();
    }

    assertThat(reasons).hasSize(2).containsOnly("the kernel empty failed with EXCEPTION (0x1016)");
    startAnew();
  }
}
