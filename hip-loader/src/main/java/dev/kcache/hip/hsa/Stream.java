// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A stream: the last packet that it gave to its queue. Streams may share a queue, and wait for each
 * other's packets then.
 *
 * <p>Safe for use by any number of threads.
 */
final class Stream extends Entry {
  /** Larger memory is filled by copies of its own beginning. */
  private static final int PATTERN = 4096;

  private final Agent agent;
  private final Queue queue;
  private volatile long last;

  Stream(Agent agent, Queue queue) {
    this.agent = agent;
    this.queue = queue;
  }

  Agent agent() {
    return agent;
  }

  Queue queue() {
    return queue;
  }

  /** Asks for a launch; allocates nothing. */
  void launch(
      Kernel kernel,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedMemory,
      long extra) {
    if (kernel.agent() != agent) {
      throw new HsaFailure(HsaFailure.INVALID_HANDLE, "the kernel is loaded on another device");
    }
    synchronized (queue) {
      last = queue.launch(kernel, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedMemory, extra);
    }
  }

  /** Copies from the host's memory to the device's. */
  void copyToDevice(long to, long from, long bytes) {
    if (bytes > 0) {
      agent.requireAlive();
      queue.release();
      Host.Span host = agent.host().span(from, bytes);
      synchronized (queue) {
        last =
            queue.copy(
                to, agent.handle(), host.address(), agent.host().cpu(), bytes, host.release());
      }
    }
  }

  /** Copies from the device's memory to the host's. */
  void copyToHost(long to, long from, long bytes) {
    if (bytes > 0) {
      agent.requireAlive();
      queue.release();
      Host.Span host = agent.host().span(to, bytes);
      synchronized (queue) {
        last =
            queue.copy(
                host.address(), agent.host().cpu(), from, agent.handle(), bytes, host.release());
      }
    }
  }

  /** Copies within the device's memory. */
  void copy(long to, long from, long bytes) {
    if (bytes > 0) {
      queue.release();
      synchronized (queue) {
        last = copyWithin(to, from, bytes);
      }
    }
  }

  private long copyWithin(long to, long from, long bytes) {
    return queue.copy(to, agent.handle(), from, agent.handle(), bytes, () -> {});
  }

  /** Fills the device's memory with the four bytes of a number, as often as they fit. */
  void fill(long to, int value, long bytes) {
    if (bytes <= 0) {
      return;
    }
    ByteBuffer pattern =
        ByteBuffer.allocate((int) Math.min(bytes + 3, PATTERN)).order(ByteOrder.nativeOrder());
    for (int i = 0; i + Integer.BYTES <= pattern.capacity(); i += Integer.BYTES) {
      pattern.putInt(i, value);
    }
    queue.release();
    synchronized (queue) {
      last = queue.copyPattern(to, bytes, pattern);
      long filled = Math.min(bytes, (long) pattern.capacity() / Integer.BYTES * Integer.BYTES);
      while (filled < bytes) {
        long more = Math.min(filled, bytes - filled);
        last = copyWithin(to + filled, to, more);
        filled += more;
      }
    }
  }

  /** Marks what was asked for so far. */
  Mark mark() {
    queue.release();
    synchronized (queue) {
      Mark mark = Mark.in(agent, queue);
      last = mark.packet();
      return mark;
    }
  }

  /** Waits for a mark, which the caller retained and this releases, before anything later. */
  void waitFor(Mark mark) {
    try {
      agent.requireAlive();
      mark.requireAlive();
    } catch (HsaFailure e) {
      mark.release();
      throw e;
    }
    if (mark.isPassed()) {
      mark.release();
      return;
    }
    synchronized (queue) {
      last = queue.waitFor(mark.signal());
      queue.releases().add(last, mark::failure, mark::release);
    }
  }

  /** Frees memory of the device once all so far is done. */
  void freeLater(long address) {
    queue.releases().add(last, () -> agent.freeNow(address));
  }

  void synchronize() {
    queue.await(last);
  }

  boolean isDone() {
    return queue.isDone(last);
  }
}
