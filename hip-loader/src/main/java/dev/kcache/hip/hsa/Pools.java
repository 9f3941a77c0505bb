// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The memory pools of an agent. */
record Pools(List<Pool> all) {
  static final int KERNARG_INIT = 1;
  static final int FINE_GRAINED = 2;
  static final int COARSE_GRAINED = 4;

  private static final int SEGMENT = 0;
  private static final int GLOBAL_FLAGS = 1;
  private static final int SIZE = 2;
  private static final int ALLOC_ALLOWED = 5;

  private static final int GLOBAL = 0;
  private static final int GROUP = 3;

  /**
   * A pool.
   *
   * @param flags of a global one; else 0
   * @param size in bytes
   */
  record Pool(long handle, int segment, int flags, long size, boolean allocates) {}

  static Pools of(Hsa hsa, long agent) {
    List<Pool> pools = new ArrayList<>();
    for (long handle : handles(hsa, agent)) {
      Info info =
          new Info(
              "hsa_amd_memory_pool_get_info",
              (attribute, value) -> hsa.hsa_amd_memory_pool_get_info(handle, attribute, value));
      int segment = info.number(SEGMENT);
      boolean global = segment == GLOBAL;
      pools.add(
          new Pool(
              handle,
              segment,
              global ? info.number(GLOBAL_FLAGS) : 0,
              info.longNumber(SIZE),
              global && info.read(ALLOC_ALLOWED).get(0) != 0));
    }
    return new Pools(pools);
  }

  private static List<Long> handles(Hsa hsa, long agent) {
    List<Long> handles = new ArrayList<>();
    Hsa.HandleCallback each =
        (handle, data) -> {
          handles.add(handle);
          return Status.SUCCESS;
        };
    HsaFailure.check(
        "hsa_amd_agent_iterate_memory_pools",
        hsa.hsa_amd_agent_iterate_memory_pools(agent, each, 0));
    return handles;
  }

  /** Returns the first global pool to allocate from that has a flag. */
  Optional<Pool> global(int flag) {
    return all.stream()
        .filter(pool -> pool.segment == GLOBAL && pool.allocates && (pool.flags & flag) != 0)
        .findFirst();
  }

  /** Returns the shared memory of a block in bytes. */
  int sharedMemory() {
    return all.stream()
        .filter(pool -> pool.segment == GROUP)
        .mapToInt(pool -> (int) pool.size)
        .findFirst()
        .orElse(0);
  }

  /** Allocates memory of a pool. */
  static long allocate(Hsa hsa, long pool, long size) {
    long[] address = new long[1];
    HsaFailure.check(
        "hsa_amd_memory_pool_allocate", hsa.hsa_amd_memory_pool_allocate(pool, size, 0, address));
    return address[0];
  }
}
