// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.CurrentDevice;
import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import org.jspecify.annotations.Nullable;

/**
 * One device's calls into the runtime.
 *
 * <p>HIP has a current device for each thread of the operating system, which any library may change
 * between two calls of ours, and which it relies on between two of its own. Each call is therefore
 * made with this device as the current one, and leaves the thread with the device that it had. An
 * error is taken from the thread again once it is known here, so that another library on it does
 * not find it with {@code hipGetLastError} and take it for one of its own.
 *
 * <p>A virtual thread stays on its carrier in between, since nothing there can block in Java: it is
 * moved only where it waits, there is no time sharing (<a href="https://openjdk.org/jeps/444">JEP
 * 444</a>). So a {@link Call} does nothing but call one native function with what it captured: it
 * takes no lock, logs nothing and uses no class for the first time. A call that waits for the
 * device keeps its carrier occupied.
 *
 * <p>Safe for use by any number of threads.
 */
final class DeviceContext {
  /** A call into the runtime, which gives a {@code hipError_t}. */
  interface Call {
    int of(Hip hip);
  }

  private final HipLibrary library;
  private final Hip hip;
  private final int ordinal;
  private final CurrentDevice device;
  private final Staging staging = new Staging();

  /** For messages, so that it does not matter if another thread sees an older one. */
  private @Nullable String lastKernel;

  DeviceContext(HipLibrary library, int ordinal) {
    this.library = library;
    this.hip = library.functions();
    this.ordinal = ordinal;
    this.device = library.currentDevice(ordinal);
  }

  HipLibrary library() {
    return library;
  }

  int ordinal() {
    return ordinal;
  }

  Staging staging() {
    return staging;
  }

  /**
   * Makes a call with this device as the current one.
   *
   * @throws HipException if it fails
   */
  void call(String function, Call call) {
    check(function, status(call));
  }

  /**
   * Makes a call with this device as the current one; returns its {@code hipError_t}.
   *
   * @throws HipException if the current device can't be found out or changed; the call is not made
   */
  int status(Call call) {
    long[] current = new long[1];
    check("hipGetDevice", device.get(current));
    enter(current[0]);
    int status;
    try {
      status = call.of(hip);
      // That work is not done yet is no error, and newer runtimes don't keep it as one.
      if (status != Statuses.SUCCESS && status != Statuses.NOT_READY) {
        forget();
      }
    } finally {
      leave(current[0]);
    }
    return status;
  }

  /** Returns {@link CurrentDevice#maySkip}. */
  boolean maySkipCurrent(long stream) {
    return device.maySkip(stream);
  }

  /** Returns {@link CurrentDevice#isRefused}. */
  boolean isRefused(int status) {
    return device.isRefused(status);
  }

  /** Gives what is current on this thread, to eight zero bytes at an address. */
  int current(long address) {
    return device.get(address);
  }

  /** Makes this device the current one, where {@code current} is. */
  void enter(long current) {
    if (!device.isThis(current)) {
      check("hipSetDevice", device.set());
    }
  }

  /** Makes current again what was. */
  void leave(long previous) {
    if (!device.isThis(previous)) {
      // It was the current one a moment ago: what can fail is only what its next call meets too.
      int unused = device.restore(previous);
    }
  }

  /** Takes the last error from the thread, which it is known of here. */
  void forget() {
    int unused = library.platformCalls().hipGetLastError();
  }

  /** Throws a {@link HipException} unless {@code status} is {@code hipSuccess}. */
  void check(String function, int status) {
    if (status != Statuses.SUCCESS) {
      throw Statuses.failure(library, function, status, details(status));
    }
  }

  /** Notes that a kernel was launched, to be named if it faults. */
  void launched(String kernel) {
    // Threads that launch the same one do not take the field from each other's caches.
    if (!kernel.equals(lastKernel)) {
      lastKernel = kernel;
    }
  }

  /** The runtime tells of a fault when it is asked for something else, and not of which kernel. */
  private String details(int status) {
    String kernel = lastKernel;
    return kernel != null && HipException.isSticky(status)
        ? "the last kernel that was launched is " + kernel
        : "";
  }
}
