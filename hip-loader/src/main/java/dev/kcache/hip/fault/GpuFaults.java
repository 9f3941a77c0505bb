// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import dev.kcache.hip.binding.HipLibrary;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of the faults of one runtime library's devices: the kernels that are in flight on
 * each. One per library and process, as the library itself.
 *
 * <p>Safe for use by any number of threads.
 */
public final class GpuFaults {
  private static final Map<HipLibrary, GpuFaults> OF_LIBRARIES = new ConcurrentHashMap<>();

  private final Map<Integer, Launches> launches = new ConcurrentHashMap<>();

  private GpuFaults() {}

  /** Returns the only instance for a library. */
  public static GpuFaults of(HipLibrary library) {
    return OF_LIBRARIES.computeIfAbsent(library, unused -> new GpuFaults());
  }

  /** Returns the launches on a device. */
  public Launches launches(int ordinal) {
    return launches.computeIfAbsent(ordinal, unused -> new Launches());
  }
}
