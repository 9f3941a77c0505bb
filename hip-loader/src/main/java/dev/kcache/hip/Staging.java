// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Chunks of direct memory, through which memory of the Java heap is copied piece by piece: the heap
 * may move its objects, so that the runtime cannot be given their address.
 *
 * <p>Safe for use by any number of threads. A few chunks are kept, since direct memory is slow to
 * make and slow to be collected; any more threads at once make their own.
 */
final class Staging {
  /** Large enough that the calls don't count, small enough for the processor's cache. */
  static final int CHUNK = 1 << 20;

  private static final int KEPT = 4;

  private final BlockingQueue<ByteBuffer> chunks = new ArrayBlockingQueue<>(KEPT);

  /** Returns a chunk of {@link #CHUNK} bytes in native order, for the caller alone. */
  ByteBuffer take() {
    ByteBuffer kept = chunks.poll();
    return kept != null ? kept : ByteBuffer.allocateDirect(CHUNK).order(ByteOrder.nativeOrder());
  }

  /** Gives a chunk back that no copy uses any more. */
  void give(ByteBuffer chunk) {
    boolean unused = chunks.offer(chunk);
  }
}
