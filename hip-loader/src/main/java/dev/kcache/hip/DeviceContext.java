// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;

/**
 * One device's calls into the runtime.
 *
 * <p>HIP has a current device for each thread, which any library may change between two calls of
 * ours, and which it relies on between two of its own. Each call is therefore made with this device
 * as the current one, and leaves the thread with the device that it had. Nothing between the two
 * blocks, so that a virtual thread stays on its carrier.
 */
final class DeviceContext {
  /** A call into the runtime, which gives a {@code hipError_t}. */
  interface Call {
    int of(Hip hip);
  }

  private final HipLibrary library;
  private final Hip hip;
  private final int ordinal;

  DeviceContext(HipLibrary library, int ordinal) {
    this.library = library;
    this.hip = library.functions();
    this.ordinal = ordinal;
  }

  HipLibrary library() {
    return library;
  }

  int ordinal() {
    return ordinal;
  }

  /**
   * Makes a call with this device as the current one.
   *
   * @throws HipException if it fails
   */
  void call(String function, Call call) {
    check(function, status(call));
  }

  /** Makes a call with this device as the current one; returns its {@code hipError_t}. */
  int status(Call call) {
    int[] current = new int[1];
    check("hipGetDevice", hip.hipGetDevice(current));
    enter(current[0]);
    try {
      return call.of(hip);
    } finally {
      leave(current[0]);
    }
  }

  /** Makes this device the current one, where {@code current} is. */
  void enter(int current) {
    if (current != ordinal) {
      check("hipSetDevice", hip.hipSetDevice(ordinal));
    }
  }

  /** Makes the device that was the current one that again. */
  void leave(int previous) {
    if (previous != ordinal) {
      int unused = hip.hipSetDevice(previous);
    }
  }

  /** Throws a {@link HipException} unless {@code status} is {@code hipSuccess}. */
  void check(String function, int status) {
    if (status != 0) {
      throw Statuses.failure(library, function, status);
    }
  }
}
