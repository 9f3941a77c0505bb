// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A GPU with its memory and its queues.
 *
 * <p>When a queue fails, the whole device is given up, as HIP and CUDA do: every later call for it
 * fails with the same error, all waits end, and nothing of it is destroyed any more.
 *
 * <p>Safe for use by any number of threads.
 */
final class Agent {
  /** Free memory, which newer runtimes tell. */
  private static final int MEMORY_AVAILABLE = 0xa015;

  private final Hsa hsa;
  private final long handle;
  private final Host host;
  private final Limits limits;
  private final Pools.Pool memory;
  private final AgentProperties properties;
  private final long slice;
  private final Hsa.QueueCallback queueCallback = this::queueFailed;

  /** The blocks of its memory, with their sizes by their addresses. */
  private final ConcurrentHashMap<Long, Long> blocks = new ConcurrentHashMap<>();

  /**
   * The queues, and how many streams, marks and calls use each. Its monitor is held for its changes
   * only.
   */
  private final Map<Queue, Integer> users = new LinkedHashMap<>();

  private final MayHang calls = new MayHang();
  private @Nullable Stream defaultStream;
  private volatile @Nullable HsaFailure failure;

  /**
   * Reads an agent.
   *
   * @param ticks of the system's clock in a second
   * @throws HsaFailure if the runtime fails, or the agent has no memory to allocate from
   */
  Agent(Hsa hsa, long handle, Host host, Limits limits, long ticks) {
    Pools pools = Pools.of(hsa, handle);
    this.hsa = hsa;
    this.handle = handle;
    this.host = host;
    this.limits = limits;
    this.memory =
        pools
            .global(Pools.COARSE_GRAINED)
            .or(() -> pools.global(Pools.FINE_GRAINED))
            .orElseThrow(
                () -> new HsaFailure(HsaFailure.INVALID_DEVICE, "the agent has no memory"));
    this.properties = AgentProperties.read(hsa, handle, pools.sharedMemory());
    this.slice = Math.max(1, (long) (limits.slice().toNanos() / 1e9 * ticks));
  }

  Hsa hsa() {
    return hsa;
  }

  long handle() {
    return handle;
  }

  Host host() {
    return host;
  }

  Limits limits() {
    return limits;
  }

  AgentProperties properties() {
    return properties;
  }

  /** Returns the device's memory in bytes. */
  long memoryBytes() {
    return memory.size();
  }

  /**
   * Returns how long a wait goes on before it looks for failures, in ticks of the system's clock.
   */
  long slice() {
    return slice;
  }

  // ---- memory --------------------------------------------------------------------------------

  /** Allocates memory of the device; once more when what streams are done with was freed. */
  long allocate(long size) {
    requireAlive();
    long address;
    try {
      address = Pools.allocate(hsa, memory.handle(), size);
    } catch (HsaFailure e) {
      forEachQueue(queue -> queue.isDone(queue.submitted()));
      address = Pools.allocate(hsa, memory.handle(), size);
    }
    blocks.put(address, size);
    return address;
  }

  /** Frees memory of the device; that of a lost one stays. */
  void free(long address) {
    if (isAlive()) {
      freeNow(address);
    }
  }

  /** Frees memory of the host. */
  void freePinned(long address) {
    if (isAlive()) {
      host.freePinned(address);
    }
  }

  void freeNow(long address) {
    if (blocks.remove(address) == null) {
      throw new HsaFailure(HsaFailure.INVALID_VALUE, "no memory of the device begins there");
    }
    HsaFailure.check("hsa_amd_memory_pool_free", hsa.hsa_amd_memory_pool_free(address));
  }

  /**
   * Returns the free memory in bytes: without what this process has, if the runtime doesn't say.
   */
  long freeMemory() {
    long free = AgentProperties.info(hsa, handle).longIfKnown(MEMORY_AVAILABLE);
    long used = blocks.values().stream().mapToLong(Long::longValue).sum();
    return free != 0 ? Math.min(free, memoryBytes()) : memoryBytes() - used;
  }

  // ---- streams -------------------------------------------------------------------------------

  Stream createStream() {
    return new Stream(this, acquireQueue());
  }

  /** Returns the default stream, which gets its queue when it is first used and keeps it. */
  synchronized Stream defaultStream() {
    if (defaultStream == null) {
      defaultStream = createStream();
    }
    return defaultStream;
  }

  /** Ends a stream whose work is done. */
  void close(Stream stream) {
    if (isAlive()) {
      stream.synchronize();
    }
    giveBack(stream.queue());
  }

  /** Unloads code, which must not be running. */
  void close(Code code) {
    if (isAlive()) {
      code.close();
    }
  }

  /** Returns a queue with one more user: a new one if there may be, else that with the fewest. */
  private Queue acquireQueue() {
    requireAlive();
    synchronized (users) {
      if (users.size() >= limits.queues()) {
        Map.Entry<Queue, Integer> least =
            users.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow();
        least.setValue(least.getValue() + 1);
        return least.getKey();
      }
    }
    Queue queue = new Queue(this);
    synchronized (users) {
      users.put(queue, 1);
    }
    return queue;
  }

  /** Adds a user to a queue that has one. */
  void retain(Queue queue) {
    synchronized (users) {
      users.merge(queue, 1, Integer::sum);
    }
  }

  /** Takes a user from a queue; without any it ends. */
  void giveBack(Queue queue) {
    synchronized (users) {
      if (users.merge(queue, -1, Integer::sum) > 0) {
        return;
      }
      users.remove(queue);
    }
    queue.close();
  }

  /** Does something with each queue, which stays meanwhile. */
  private void forEachQueue(Consumer<Queue> work) {
    List<Queue> all;
    synchronized (users) {
      users.replaceAll((queue, count) -> count + 1);
      all = List.copyOf(users.keySet());
    }
    HsaFailure failed = null;
    for (Queue queue : all) {
      try {
        work.accept(queue);
      } catch (HsaFailure e) {
        failed = e;
      }
      giveBack(queue);
    }
    if (failed != null) {
      throw failed;
    }
  }

  /** Waits for all queues. */
  void synchronize() {
    requireAlive();
    forEachQueue(queue -> queue.await(queue.submitted()));
  }

  // ---- failures ------------------------------------------------------------------------------

  Hsa.QueueCallback queueCallback() {
    return queueCallback;
  }

  /** Runs on a thread of the runtime, which nothing may leave with an exception. */
  private void queueFailed(int status, long address, long data) {
    try {
      String kernel = running(address);
      String what = kernel == null ? "the queue failed" : "the kernel " + kernel + " failed";
      int error = Status.hipErrorOfQueue(status);
      boolean fatal = error == HsaFailure.ILLEGAL_ADDRESS || error == HsaFailure.LAUNCH_FAILURE;
      // Of the other errors nobody expects it.
      String end = fatal ? "" : "; the device is lost until the process ends";
      die(new HsaFailure(error, what + " with " + Status.describe(status) + end));
    } catch (RuntimeException | Error e) {
      die(new HsaFailure(HsaFailure.UNKNOWN, "a queue failed: " + e));
    }
  }

  private @Nullable String running(long address) {
    synchronized (users) {
      for (Queue queue : users.keySet()) {
        if (queue.address() == address) {
          return queue.running();
        }
      }
    }
    return null;
  }

  /** Returns the kernels that run: the first of each queue that is not done. */
  List<String> running() {
    List<String> kernels = new ArrayList<>();
    synchronized (users) {
      for (Queue queue : users.keySet()) {
        String kernel = queue.running();
        if (kernel != null) {
          kernels.add(kernel);
        }
      }
    }
    return kernels;
  }

  /** Returns whether a queue has something that is not done. */
  boolean isBusy() {
    synchronized (users) {
      for (Queue queue : users.keySet()) {
        if (!queue.isPassed(queue.submitted()) || queue.running() != null) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Gives the device up and ends all waits. The first failure counts. May run on a thread of the
   * runtime: queues stay as long as the monitor is held, and what is called never waits.
   */
  void die(HsaFailure reason) {
    synchronized (users) {
      if (failure == null) {
        failure = reason;
      }
      for (Queue queue : users.keySet()) {
        queue.wake();
      }
    }
    calls.end(reason);
  }

  /** From now on {@link #call} returns when the device dies. */
  void survive() {
    calls.survive();
  }

  /**
   * Makes a call that never returns once the device is dead.
   *
   * @throws HsaFailure also if the device dies meanwhile, and its death is to be survived
   */
  <T> T call(Supplier<T> call) {
    requireAlive();
    return calls.call(call);
  }

  /** Returns why the device was given up; null if it was not. */
  @Nullable HsaFailure failure() {
    return failure;
  }

  boolean isAlive() {
    return failure == null;
  }

  /**
   * Checks that the device was not given up.
   *
   * @throws HsaFailure if it was, with the reason
   */
  void requireAlive() {
    HsaFailure reason = failure;
    if (reason != null) {
      throw reason;
    }
  }
}
