// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory for the arguments of the kernels of a queue, used round and round: what a packet was given
 * is free once that packet is done. Packets are counted from 1.
 *
 * <p>Allocates nothing. For use by one thread at a time.
 */
final class KernargRing {
  /** What each piece begins at a multiple of; no kernel asks for more. */
  static final int ALIGNMENT = 64;

  private final long address;
  private final ByteBuffer memory;
  private final int capacity;

  /**
   * Where the memory of each packet ends, by the packet's number, modulo the packets of a queue.
   */
  private final long[] ends;

  private long tail;

  KernargRing(long address, int capacity, int packets) {
    this.address = address;
    this.memory = HipLibrary.view(address, capacity).order(ByteOrder.nativeOrder());
    this.capacity = capacity;
    this.ends = new long[packets];
  }

  ByteBuffer memory() {
    return memory;
  }

  long address() {
    return address;
  }

  /**
   * Takes memory for the next packet; it is that packet's once {@link #end} was called.
   *
   * @param done the last packet that is done
   * @return the offset; -1 if there is not enough now
   */
  int take(int size, long done) {
    int rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    int offset = (int) (tail % capacity);
    long begin = offset + rounded > capacity ? tail + capacity - offset : tail;
    long head = done == 0 ? 0 : ends[(int) (done % ends.length)];
    if (begin + rounded - head > capacity) {
      return -1;
    }
    tail = begin + rounded;
    return (int) (begin % capacity);
  }

  /** Gives what was taken to a packet. */
  void end(long packet) {
    ends[(int) (packet % ends.length)] = tail;
  }
}
