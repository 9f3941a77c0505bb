// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.binding.HipLibrary;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a thread sees that looks at each packet, as a device does, while it is written. */
class PacketOrderTest extends QueueTestBase {
  private static final int ROUNDS = 500;
  private static final int BASE = 8;
  private static final int PACKET = 64;
  private static final int KERNEL_DISPATCH = 2;

  private static final VarHandle FIRST =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  PacketOrderTest() {
    super(Duration.ofMinutes(1), Duration.ofMillis(5));
  }

  /** Follows the packets of a queue, and counts those that were valid before they had a name. */
  private static final class Watcher extends Thread {
    private final Queue queue;
    private final ByteBuffer packets;
    private final AtomicInteger seen = new AtomicInteger();
    private final AtomicInteger nameless = new AtomicInteger();

    /** Packets that may be looked at: later ones still are those before them. */
    private final AtomicInteger allowed = new AtomicInteger();

    Watcher(Queue queue) {
      this.queue = queue;
      NativePointer pointer = new NativePointer();
      pointer.move(queue.address());
      packets =
          HipLibrary.view(pointer.getLong(BASE), PACKETS * PACKET).order(ByteOrder.nativeOrder());
      setDaemon(true);
    }

    private boolean isValid(int index) {
      int first = (int) FIRST.getAcquire(packets, index % PACKETS * PACKET);
      return (first & 0xff) == KERNEL_DISPATCH;
    }

    @Override
    public void run() {
      for (int i = 0; i < ROUNDS * PACKETS; i++) {
        while (i >= allowed.get() || !isValid(i)) {
          Thread.onSpinWait();
        }
        if (queue.kernelOf(i + 1) == null) {
          nameless.incrementAndGet();
        }
        seen.incrementAndGet();
      }
    }
  }

  @Test
  void packet_isValidOnlyOnceItsKernelCanBeNamed() {
    Queue queue = new Queue(kernel().agent());
    Watcher watcher = new Watcher(queue);
    watcher.start();
    for (int round = 1; round <= ROUNDS; round++) {
      standIn.hold();
      watcher.allowed.set(round * PACKETS);
      for (int i = 0; i < PACKETS; i++) {
        long unused = queue.launch(kernel(), 1, 1, 1, 1, 1, 1, 0, 0);
      }
      while (watcher.seen.get() < round * PACKETS) {
        Thread.onSpinWait();
      }
      standIn.release();
      queue.await(queue.submitted());
    }
    queue.close();

    assertThat(watcher.nameless).hasValue(0);
  }
}
