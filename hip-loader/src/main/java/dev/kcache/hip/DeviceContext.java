// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.CurrentDevice;
import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.binding.KernelLauncher;
import dev.kcache.hip.fault.GpuFaults;
import dev.kcache.hip.fault.LaunchRing;
import dev.kcache.hip.fault.Launches;
import dev.kcache.hip.fault.Loss;
import dev.kcache.hip.fault.Suspects;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One device's calls into the runtime.
 *
 * <p>HIP has a current device for each thread of the operating system, which any library may change
 * between two calls of ours, and which it relies on between two of its own. Each call is therefore
 * made with this device as the current one, and leaves the thread with the device that it had. Once
 * an error is known here, it is cleared from the thread, so that another library does not find it
 * with {@code hipGetLastError} and take it for one of its own.
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

  /** A call that uses a handle. */
  interface HandleCall {
    int of(Hip hip, long handle);
  }

  /** A call that uses two handles. */
  interface HandlesCall {
    int of(Hip hip, long first, long second);
  }

  private final HipLibrary library;
  private final Hip hip;
  private final int ordinal;
  private final CurrentDevice device;
  private final HostCopy copies = new HostCopy(this);

  /** Whether this device reaches the memory of others, by their ordinals, as far as it is known. */
  private final Map<Integer, Boolean> peers = new ConcurrentHashMap<>();

  private final GpuFaults faults;
  private final Launches launches;

  DeviceContext(HipLibrary library, int ordinal) {
    this.library = library;
    this.hip = library.functions();
    this.ordinal = ordinal;
    this.device = library.currentDevice(ordinal);
    this.faults = GpuFaults.of(library);
    this.launches = faults.launches(ordinal);
  }

  HipLibrary library() {
    return library;
  }

  int ordinal() {
    return ordinal;
  }

  /** Returns what is known of the faults of the runtime's devices. */
  GpuFaults faults() {
    return faults;
  }

  /** Returns the launches on this device that may not be over. */
  Launches launches() {
    return launches;
  }

  /** Returns the blocking copies between the host's memory and this device's. */
  HostCopy copies() {
    return copies;
  }

  /**
   * Makes a call with this device as the current one.
   *
   * @throws HipException if it fails
   */
  void call(String function, Call call) {
    check(function, status(call));
  }

  /** Makes a call as {@link #call(String, Call)} does; the handle stays open until it returns. */
  void call(String function, Handle handle, HandleCall call) {
    handle.use(value -> call(function, hip -> call.of(hip, value)));
  }

  /** Makes a call as {@link #call(String, Call)} does; both handles stay open until it returns. */
  void call(String function, Handle first, Handle second, HandlesCall call) {
    first.use(one -> call(function, second, (hip, other) -> call.of(hip, one, other)));
  }

  /**
   * Makes a call with this device as the current one; returns its {@code hipError_t}.
   *
   * @throws HipException if the current device cannot be read or changed; the call is not made
   */
  int status(Call call) {
    return faults.call(() -> statusHere(call));
  }

  private int statusHere(Call call) {
    long[] current = new long[1];
    check("hipGetDevice", device.get(current));
    enter(current[0]);
    int status;
    try {
      status = call.of(hip);
      // Unfinished work is no error, and newer runtimes don't keep it as one.
      if (status != Statuses.SUCCESS && status != Statuses.NOT_READY) {
        forget();
      }
    } finally {
      leave(current[0]);
    }
    return status;
  }

  /**
   * Returns whether this device uses another's memory directly; lets it, if it can.
   *
   * @throws HipException if the runtime fails
   */
  boolean reaches(int peer) {
    if (peers.containsKey(peer)) {
      return peers.get(peer);
    }
    int[] can = new int[1];
    int asked = status(hip -> hip.hipDeviceCanAccessPeer(can, ordinal, peer));
    boolean reached = asked == Statuses.SUCCESS && can[0] != 0;
    if (asked != HipLibrary.NOT_SUPPORTED) {
      check("hipDeviceCanAccessPeer", asked);
    }
    if (reached) {
      int enabled = status(hip -> library.platformCalls().hipDeviceEnablePeerAccess(peer, 0));
      // Somebody else may have, of this process or of another object for the same device.
      if (enabled != Statuses.PEER_ACCESS_ALREADY_ENABLED) {
        check("hipDeviceEnablePeerAccess", enabled);
      }
    }
    peers.put(peer, reached);
    return reached;
  }

  /**
   * Launches a kernel, with this device as the current one where the launch depends on that.
   * Allocates nothing.
   *
   * @param ring of the stream
   * @param stream the handle
   * @throws HipException if it fails
   */
  void launch(
      HipFunction function,
      LaunchConfig config,
      LaunchRing ring,
      long stream,
      ArgumentBlock block) {
    Loss loss = faults.loss();
    if (loss != null) {
      throw new GpuFaultException("hipModuleLaunchKernel", loss);
    }
    KernelLauncher launcher = library.nextLauncher();
    boolean anywhere = device.maySkip(stream);
    int status = Statuses.NOT_READY;
    long position = ring.begin(function.name());
    try {
      status = anywhere ? function.launch(launcher, config, stream, block) : status;
      if (!anywhere || device.isRefused(status)) {
        status = launchHere(function, launcher, config, stream, block);
      }
    } finally {
      ring.end(position, function.name(), status == Statuses.SUCCESS);
    }
    check("hipModuleLaunchKernel", status);
  }

  /** As {@link #status}, with a word of the argument block for the current device. */
  private int launchHere(
      HipFunction function,
      KernelLauncher launcher,
      LaunchConfig config,
      long stream,
      ArgumentBlock block) {
    check("hipGetDevice", device.get(block.currentDeviceAddress()));
    long current = block.currentDevice();
    enter(current);
    try {
      int status = function.launch(launcher, config, stream, block);
      if (status != Statuses.SUCCESS) {
        forget();
      }
      return status;
    } finally {
      leave(current);
    }
  }

  /** Makes this device current unless {@code current} is this device. */
  private void enter(long current) {
    if (!device.isThis(current)) {
      check("hipSetDevice", device.set());
    }
  }

  /** Restores what {@link #enter} replaced. */
  private void leave(long previous) {
    if (!device.isThis(previous)) {
      // It was current a moment ago: if this fails, so does its next call.
      int unused = device.restore(previous);
    }
  }

  /** Clears the thread's last error, which has been read. */
  private void forget() {
    int unused = library.platformCalls().hipGetLastError();
  }

  /** Throws a {@link HipException} unless {@code status} is {@code hipSuccess}. */
  void check(String function, int status) {
    if (status != Statuses.SUCCESS) {
      throw failure(function, status);
    }
  }

  private HipException failure(String function, int status) {
    if (!HipException.isSticky(status)) {
      return Statuses.failure(library, function, status, "");
    }
    faults.failed(status);
    Loss loss = faults.loss(ordinal);
    return loss != null
        ? new GpuFaultException(function, loss)
        : Statuses.failure(library, function, status, suspects());
  }

  /**
   * Returns whether work is done, by the status of a query.
   *
   * @throws HipException if the query failed, or the work did
   */
  boolean isDone(String function, int status) {
    if (status == Statuses.NOT_READY) {
      return false;
    }
    check(function, status);
    return true;
  }

  /** The runtime reports a fault at a later call, and without the name of the kernel. */
  private String suspects() {
    Suspects suspects = launches.suspects();
    return suspects.isEmpty() ? "" : suspects.describe();
  }
}
