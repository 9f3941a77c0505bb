// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.util.HashMap;
import java.util.Map;

/**
 * The primary contexts of a CUDA driver's devices: the one of each that its users in a process
 * share, CUDA's own runtime among them. Each is made when first needed, since that takes memory of
 * the device, and is kept until the process ends, as the library is.
 *
 * <p>Safe for use by any number of threads, and without a lock: a virtual thread that waited for
 * one could go on on another thread of the system, in the middle of a change of the current
 * context. So threads that need a context for the first time at once each retain it, which the
 * driver counts.
 */
final class PrimaryContexts {
  private static final int SUCCESS = 0;

  private final Cuda cuda;

  /** By ordinal. A new map for each change, of which one may be lost: see above. */
  private volatile Map<Integer, Long> retained = Map.of();

  PrimaryContexts(Cuda cuda) {
    this.cuda = cuda;
  }

  /** Gives the context of a device; returns the {@code CUresult}. */
  int of(int ordinal, long[] context) {
    Long known = retained.get(ordinal);
    if (known != null) {
      context[0] = known;
      return SUCCESS;
    }
    int[] device = new int[1];
    int status = cuda.cuDeviceGet(device, ordinal);
    if (status == SUCCESS) {
      status = cuda.cuDevicePrimaryCtxRetain(context, device[0]);
    }
    if (status == SUCCESS) {
      Map<Integer, Long> more = new HashMap<>(retained);
      more.put(ordinal, context[0]);
      retained = more;
    }
    return status;
  }
}
