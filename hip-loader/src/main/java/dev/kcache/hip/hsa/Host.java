// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The host's memory as devices see it: pinned blocks from a pool of the CPU's agent, and any other
 * memory once it is locked.
 *
 * <p>Safe for use by any number of threads.
 *
 * @param cpu the CPU's agent
 * @param pinned its pool of memory that devices and host see alike
 * @param kernarg its pool of memory for the arguments of kernels
 * @param agents the devices, which may use all of it
 * @param blocks the sizes of the pinned blocks by their addresses
 */
@SuppressWarnings("ArrayRecordComponent") // as C takes them
record Host(
    Hsa hsa,
    long cpu,
    long pinned,
    long kernarg,
    long[] agents,
    ConcurrentSkipListMap<Long, Long> blocks) {

  /**
   * The host's memory of a copy.
   *
   * @param address where devices find it
   * @param release gives it back after the copy
   */
  record Span(long address, Runnable release) {}

  /** Allocates memory that devices can use. */
  long allocate(long pool, long size) {
    long address = Pools.allocate(hsa, pool, size);
    int status = hsa.hsa_amd_agents_allow_access(agents.length, agents, 0, address);
    if (status != Status.SUCCESS) {
      int unused = hsa.hsa_amd_memory_pool_free(address);
      throw HsaFailure.of("hsa_amd_agents_allow_access", status);
    }
    return address;
  }

  long allocatePinned(long size) {
    long address = allocate(pinned, size);
    blocks.put(address, size);
    return address;
  }

  void freePinned(long address) {
    if (blocks.remove(address) == null) {
      throw new HsaFailure(HsaFailure.INVALID_VALUE, "no pinned memory begins there");
    }
    HsaFailure.check("hsa_amd_memory_pool_free", hsa.hsa_amd_memory_pool_free(address));
  }

  /** Returns memory of the host for a copy, which is locked until then if it is not pinned. */
  Span span(long address, long size) {
    Map.Entry<Long, Long> block = blocks.floorEntry(address);
    if (block != null && address + size <= block.getKey() + block.getValue()) {
      return new Span(address, () -> {});
    }
    long[] seen = new long[1];
    HsaFailure.check(
        "hsa_amd_memory_lock", hsa.hsa_amd_memory_lock(address, size, agents, agents.length, seen));
    return new Span(
        seen[0],
        () -> {
          int unused = hsa.hsa_amd_memory_unlock(address);
        });
  }

  /** Finds the memory of the CPU's agent; nothing if the runtime shows no such agent. */
  static Optional<Host> find(Hsa hsa, long cpu, long[] agents) {
    Pools pools = Pools.of(hsa, cpu);
    Optional<Pools.Pool> kernarg = pools.global(Pools.KERNARG_INIT);
    Optional<Pools.Pool> fine = pools.global(Pools.FINE_GRAINED);
    return kernarg.isPresent() && fine.isPresent()
        ? Optional.of(
            new Host(
                hsa,
                cpu,
                fine.get().handle(),
                kernarg.get().handle(),
                agents,
                new ConcurrentSkipListMap<>()))
        : Optional.empty();
  }
}
