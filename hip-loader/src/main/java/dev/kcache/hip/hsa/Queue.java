// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue of packets, all in order. Each ends by lowering one signal, the counter, by 1: so the
 * counter says how many packets are done, and a launch needs no signal of its own. A copy does not
 * go through the queue; it waits for a signal of a packet before it, and a packet behind it waits
 * for its own. The packets that only lower such a signal are not counted; a counted one follows.
 *
 * <p>What a packet uses is held and released once the packet is done: by the next call that waits
 * or asks.
 *
 * <p>Safe for use by any number of threads. Packets are written with the queue's monitor; waiting
 * takes it only to release. Nobody holds the monitors of two queues.
 */
final class Queue {
  /** The counter's value while no packet is done. A failure makes it negative. */
  private static final long START = 1L << 62;

  private static final long FAILED = -1;

  private static final int LESS_THAN = 2;
  private static final int BLOCKED = 0;
  private static final int MULTIPLE_PRODUCERS = 0;
  private static final int ANY_SIZE = -1;

  private static final int BASE = 8;
  private static final int DOORBELL = 16;
  private static final int QUEUE_SIZE = 24;

  private final Agent agent;
  private final Hsa hsa;
  private final Limits limits;
  private final long counter;
  private final KernargRing arguments;
  private final long address;
  private final long doorbell;
  private final int size;
  private final Packets packets;
  private final PacketNames names;
  private final Launch launch = new Launch();
  private final Releases releases = new Releases();

  /** The index of the next packet of the runtime, which counts all. */
  private long next;

  private volatile long submitted;
  private volatile long done;

  /**
   * Creates a queue.
   *
   * @throws HsaFailure if the runtime fails; nothing is left
   */
  Queue(Agent agent) {
    this.agent = agent;
    this.hsa = agent.hsa();
    this.limits = agent.limits();
    List<Runnable> undo = new ArrayList<>();
    try {
      counter = Signals.create(hsa, START);
      undo.add(() -> Signals.destroy(hsa, counter));
      long ring = agent.host().allocate(agent.host().kernarg(), limits.kernargBytes());
      undo.add(() -> freeRing(ring));
      long[] made = new long[1];
      HsaFailure.check(
          "hsa_queue_create",
          hsa.hsa_queue_create(
              agent.handle(),
              limits.packets(agent.properties().largestQueue()),
              MULTIPLE_PRODUCERS,
              agent.queueCallback(),
              0,
              ANY_SIZE,
              ANY_SIZE,
              made));
      address = made[0];
      undo.add(this::destroyQueue);
      HsaFailure.check(
          "hsa_amd_profiling_set_profiler_enabled",
          hsa.hsa_amd_profiling_set_profiler_enabled(address, 1));
      NativePointer queue = new NativePointer();
      queue.move(address);
      doorbell = queue.getLong(DOORBELL);
      size = queue.getInt(QUEUE_SIZE);
      packets = new Packets(queue.getLong(BASE), size);
      names = new PacketNames(size);
      arguments = new KernargRing(ring, limits.kernargBytes(), size);
    } catch (HsaFailure e) {
      for (int i = undo.size() - 1; i >= 0; i--) {
        undo.get(i).run();
      }
      throw e;
    }
  }

  private void freeRing(long ring) {
    int unused = hsa.hsa_amd_memory_pool_free(ring);
  }

  private void destroyQueue() {
    int unused = hsa.hsa_queue_destroy(address);
  }

  /** Returns the {@code hsa_queue_t*}. */
  long address() {
    return address;
  }

  /** Returns the number of the last packet so far. */
  long submitted() {
    return submitted;
  }

  // ---- packets -------------------------------------------------------------------------------

  /**
   * Asks for a launch; returns the number of its packet. Allocates nothing.
   *
   * @param extra the list that says where the arguments are
   */
  synchronized long launch(
      Kernel kernel,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedMemory,
      long extra) {
    agent.requireAlive();
    launch.set(gridX, gridY, gridZ, blockX, blockY, blockZ, sharedMemory);
    int offset = takeArguments(kernel.arguments().size());
    kernel.arguments().write(launch, extra, arguments.memory(), offset, address);
    long index = reserve();
    names.set(submitted + 1, kernel.name());
    packets.launch(index, kernel, launch, arguments.address() + offset, counter);
    return count();
  }

  /** Lets a signal fall to 0 once all packets so far are done; returns the packet behind it. */
  synchronized long mark(long signal) {
    lower(signal);
    return waitFor(0);
  }

  private void lower(long signal) {
    agent.requireAlive();
    packets.barrier(reserve(), 0, signal);
    ring();
  }

  /** Lets later packets wait for a signal to be 0, or for 0 for none; returns the packet. */
  synchronized long waitFor(long signal) {
    agent.requireAlive();
    packets.barrier(reserve(), signal, counter);
    return count();
  }

  /**
   * Copies memory once all packets so far are done; returns the packet that waits for it.
   *
   * @param release called when it is done, or right now if the copy can't be asked for
   */
  synchronized long copy(
      long to, long toAgent, long from, long fromAgent, long bytes, Runnable release) {
    long before = 0;
    long completion = 0;
    try {
      agent.requireAlive();
      completion = Signals.create(hsa, 1);
      if (!isPassed(submitted)) {
        before = Signals.create(hsa, 1);
        lower(before);
      }
      HsaFailure.check(
          "hsa_amd_memory_async_copy",
          hsa.hsa_amd_memory_async_copy(
              to,
              toAgent,
              from,
              fromAgent,
              bytes,
              before == 0 ? 0 : 1,
              before == 0 ? null : new long[] {before},
              completion));
    } catch (HsaFailure e) {
      Signals.destroy(hsa, completion);
      holdSignal(before);
      release.run();
      throw e;
    }
    long packet = waitFor(completion);
    long first = before;
    long last = completion;
    releases.add(
        packet,
        () -> Signals.failureOfCopy(hsa, last),
        () -> {
          Signals.destroy(hsa, first);
          Signals.destroy(hsa, last);
          release.run();
        });
    return packet;
  }

  /** A packet may still lower it. */
  private void holdSignal(long signal) {
    if (signal != 0 && agent.isAlive()) {
      releases.add(waitFor(0), () -> Signals.destroy(hsa, signal));
    }
  }

  /**
   * Copies the beginning of a pattern, which may be changed at once, to the device's memory;
   * returns the packet that waits for it.
   */
  synchronized long copyPattern(long to, long bytes, ByteBuffer pattern) {
    agent.requireAlive();
    int length = (int) Math.min(bytes, pattern.capacity());
    int offset = takeArguments(length);
    arguments.memory().put(offset, pattern, 0, length);
    return copy(
        to, agent.handle(), arguments.address() + offset, agent.host().cpu(), length, () -> {});
  }

  private int takeArguments(int bytes) {
    int offset = arguments.take(bytes, done);
    if (offset < 0) {
      long deadline = limits.deadline();
      while ((offset = arguments.take(bytes, done)) < 0) {
        awaitProgress(deadline);
      }
    }
    return offset;
  }

  /** Returns the index of a free packet, which the runtime then knows as taken. */
  private long reserve() {
    if (isFull()) {
      long deadline = limits.deadline();
      while (isFull()) {
        awaitProgress(deadline);
      }
    }
    next = hsa.hsa_queue_add_write_index_relaxed(address, 1) + 1;
    return next - 1;
  }

  private boolean isFull() {
    return submitted - done >= size
        || next - hsa.hsa_queue_load_read_index_scacquire(address) >= size;
  }

  /** Waits until more packets are done than were known to be. */
  private void awaitProgress(long deadline) {
    long value = START - done;
    long now = hsa.hsa_signal_wait_scacquire(counter, LESS_THAN, value, agent.slice(), BLOCKED);
    agent.requireAlive();
    if (now < value) {
      done = START - now;
    } else {
      checkWatched();
      if (System.nanoTime() - deadline > 0) {
        throw new HsaFailure(
            HsaFailure.LAUNCH_OUT_OF_RESOURCES,
            "the queue of %d packets is full, and none got done within %d ms"
                .formatted(size, limits.fullWait().toMillis()));
      }
    }
  }

  private long count() {
    long packet = submitted + 1;
    names.set(packet + 1, null);
    arguments.end(packet);
    submitted = packet;
    ring();
    return packet;
  }

  private void ring() {
    hsa.hsa_signal_store_screlease(doorbell, next - 1);
  }

  // ---- waiting -------------------------------------------------------------------------------

  /**
   * Waits until a packet is done.
   *
   * @throws HsaFailure if the device failed
   */
  void await(long packet) {
    long below = START - packet + 1;
    while (done < packet) {
      agent.requireAlive();
      long now = hsa.hsa_signal_wait_scacquire(counter, LESS_THAN, below, agent.slice(), BLOCKED);
      agent.requireAlive();
      if (now < below) {
        passed(now);
      } else {
        checkWatched();
      }
    }
    agent.requireAlive();
    release();
  }

  /**
   * Returns whether a packet is done.
   *
   * @throws HsaFailure if the device failed
   */
  boolean isDone(long packet) {
    boolean passed = isPassed(packet);
    agent.requireAlive();
    if (passed) {
      release();
    } else {
      checkWatched();
    }
    return passed;
  }

  /** Returns whether a packet is done, and releases nothing. */
  boolean isPassed(long packet) {
    if (done < packet) {
      long now = hsa.hsa_signal_load_scacquire(counter);
      if (now > 0) {
        passed(now);
      }
    }
    return done >= packet;
  }

  /** Another thread may know of more. */
  private void passed(long counted) {
    long known = START - counted;
    if (known > done) {
      done = known;
    }
  }

  /** A failed copy, or a device that died, never lets the packet go that waits for it. */
  private void checkWatched() {
    HsaFailure reason = releases.failure();
    if (reason != null) {
      agent.die(reason);
      agent.requireAlive();
    }
  }

  /** Returns what is released after packets. */
  Releases releases() {
    return releases;
  }

  /** Releases what packets that are done have used. */
  void release() {
    if (agent.isAlive()) {
      releases.take(done).forEach(Runnable::run);
    }
  }

  // ---- failures and the end ------------------------------------------------------------------

  /** Returns the kernel that runs now or comes next; null if it is none. */
  @Nullable String running() {
    long value = hsa.hsa_signal_load_scacquire(counter);
    return value < 0 ? null : kernelOf(START - value + 1);
  }

  /** Returns the kernel of a packet that is not done; null if it is none. */
  @Nullable String kernelOf(long packet) {
    return names.get(packet);
  }

  /** Ends all waits. */
  void wake() {
    hsa.hsa_signal_store_screlease(counter, FAILED);
  }

  /** Ends the queue, whose packets are all done. */
  void close() {
    if (!agent.isAlive()) {
      return; // The runtime may never come back from its end.
    }
    await(submitted);
    int unused = agent.call(() -> hsa.hsa_queue_destroy(address));
    freeRing(arguments.address());
    Signals.destroy(hsa, counter);
  }
}
