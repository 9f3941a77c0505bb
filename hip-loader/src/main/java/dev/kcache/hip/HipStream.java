// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * A queue of work for a device, which is done in the order in which it was asked for.
 *
 * <p>Safe for use by any number of threads. Uses after closing throw {@link IllegalStateException}.
 */
public final class HipStream implements AutoCloseable {
  /** {@code hipStreamNonBlocking}. */
  private static final int NON_BLOCKING = 1;

  private final HipDevice device;
  private final Handle handle;

  private HipStream(HipDevice device, Handle handle) {
    this.device = device;
    this.handle = handle;
  }

  static HipStream create(HipDevice device) {
    DeviceContext context = device.context();
    long[] stream = new long[1];
    context.call(
        "hipStreamCreateWithFlags", hip -> hip.hipStreamCreateWithFlags(stream, NON_BLOCKING));
    return new HipStream(
        device,
        Handle.of(
            "stream",
            stream[0],
            device.leaks(),
            value -> {
              // HIP leaves open whether destroying waits, and what is in flight then is waited for
              // by nobody: not before memory is freed, and not before code is unloaded.
              int unused = context.status(hip -> hip.hipStreamSynchronize(value));
              context.call("hipStreamDestroy", hip -> hip.hipStreamDestroy(value));
            }));
  }

  static HipStream defaultOf(HipDevice device) {
    return new HipStream(device, Handle.permanent("default stream", 0));
  }

  /** Returns the device that does the work. */
  public HipDevice device() {
    return device;
  }

  /**
   * Waits until everything that was asked of this stream is done.
   *
   * @throws HipException if the runtime fails, or work that was asked for before did
   */
  public void synchronize() {
    long stream = acquire();
    try {
      device.context().call("hipStreamSynchronize", hip -> hip.hipStreamSynchronize(stream));
    } finally {
      release();
    }
  }

  long acquire() {
    return handle.acquire();
  }

  void release() {
    handle.release();
  }

  /** Closes the stream, after the work that was asked for is done. Closing twice has no effect. */
  @Override
  public void close() {
    handle.close();
  }
}
