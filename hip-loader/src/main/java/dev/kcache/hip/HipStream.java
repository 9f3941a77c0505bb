// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.fault.LaunchRing;

/**
 * A queue of work for a device, which does it in the order of the calls. Work of different streams
 * may run in any order and at once, except where {@linkplain #waitFor(HipEvent) events} order it.
 *
 * <pre>{@code
 * try (HipStream copies = device.createStream();
 *     HipStream launches = device.createStream();
 *     HipEvent copied = device.createEvent()) {
 *   x.copyFrom(pinned.bytes(), copies);
 *   copied.record(copies);
 *   launches.waitFor(copied); // the caller goes on
 *   saxpy.launch(config, launches, arguments);
 *   launches.synchronize();
 * }
 * }</pre>
 *
 * <p>Safe for use by any number of threads. Uses after closing throw {@link IllegalStateException}.
 */
public final class HipStream implements AutoCloseable {
  /** {@code hipStreamNonBlocking}. */
  private static final int NON_BLOCKING = 1;

  private final HipDevice device;
  private final Handle handle;
  private final InFlight inFlight;
  private final LaunchRing launches;

  private HipStream(HipDevice device, Handle handle, InFlight inFlight, LaunchRing launches) {
    this.device = device;
    this.handle = handle;
    this.inFlight = inFlight;
    this.launches = launches;
  }

  static HipStream create(HipDevice device, int priority) {
    DeviceContext context = device.context();
    long[] stream = new long[1];
    context.call(
        "hipStreamCreateWithPriority",
        hip -> hip.hipStreamCreateWithPriority(stream, NON_BLOCKING, priority));
    InFlight inFlight = new InFlight(context);
    LaunchRing launches = context.launches().open();
    Handle handle =
        Handle.of(
            "stream",
            stream[0],
            device.leaks(),
            value -> {
              // hipStreamDestroy may neither wait nor let running work go on.
              drain(context, value);
              inFlight.end();
              context.launches().close(launches);
              context.call("hipStreamDestroy", hip -> hip.hipStreamDestroy(value));
            });
    return new HipStream(device, handle, inFlight, launches);
  }

  static HipStream defaultOf(HipDevice device) {
    DeviceContext context = device.context();
    InFlight inFlight = new InFlight(context);
    Runnable unreachable =
        () -> {
          if (inFlight.isInUse()) {
            drain(context, 0);
            inFlight.end();
          }
        };
    Handle handle = Handle.permanent("default stream", 0, unreachable);
    return new HipStream(device, handle, inFlight, context.launches().ofDefaultStream());
  }

  /**
   * Waits until a stream is idle. Ignores faults: the calls that submitted the work report them.
   */
  private static void drain(DeviceContext context, long stream) {
    int unused = context.status(hip -> hip.hipStreamSynchronize(stream));
  }

  /** {@return the device that does the work} */
  public HipDevice device() {
    return device;
  }

  /**
   * Allocates uninitialized memory as work of this stream: later work of the stream may use it, and
   * nothing waits. Another stream may use it after {@linkplain #waitFor(HipEvent) waiting} for this
   * one.
   *
   * <p>Closing the buffer gives the memory back in the same way, once this stream has done what it
   * was asked for before; work of another stream that uses it must be waited for first. This stream
   * may be closed before the buffer.
   *
   * <p>If the device {@linkplain HipDevice#supportsStreamAllocation() cannot} do that, this is
   * {@link HipDevice#allocate}, which is slower.
   *
   * @param size in bytes; 0 is allowed
   * @return the memory, which the caller closes
   * @throws IllegalArgumentException if {@code size} is negative
   * @throws IllegalStateException if this stream is closed
   * @throws HipException if the runtime fails, such as for want of memory; nothing is allocated
   */
  public DeviceBuffer allocate(long size) {
    return Allocation.inOrderOf(this, size);
  }

  /**
   * Waits until everything that was asked of this stream is done. Interrupts have no effect, and a
   * virtual thread keeps its carrier.
   *
   * @throws IllegalStateException if this stream is closed
   * @throws HipException if the runtime fails, or work that was asked for before did
   */
  public void synchronize() {
    handle.use(
        stream -> {
          long mark = launches.mark();
          device.context().call("hipStreamSynchronize", hip -> hip.hipStreamSynchronize(stream));
          launches.passed(mark);
          if (inFlight.size() > 0) {
            int unused = inFlight.query(stream);
          }
        });
  }

  /**
   * {@return whether everything that was asked of this stream is done}
   *
   * @throws IllegalStateException if this stream is closed
   * @throws HipException if the runtime fails, or work that was asked for before did
   */
  public boolean isDone() {
    long mark = launches.mark();
    boolean done = device.context().isDone("hipStreamQuery", handle.query(inFlight::query));
    if (done) {
      launches.passed(mark);
    }
    return done;
  }

  /**
   * Makes later work of this stream wait for what {@code event} last recorded, on this device or
   * another; the caller does not wait. An event that never recorded anything has no effect.
   *
   * @param event an event of any device of this runtime
   * @throws IllegalStateException if this stream or the event is closed
   * @throws HipException if the runtime fails
   */
  public void waitFor(HipEvent event) {
    requireNonNull(event, "event");
    DeviceContext context = device.context();
    context.call(
        "hipStreamWaitEvent",
        handle,
        event.handle(),
        (hip, stream, awaited) -> hip.hipStreamWaitEvent(stream, awaited, 0));
  }

  /** Keeps the memory of a submitted copy reachable. The caller has acquired this stream. */
  void keep(Object memory, long stream) {
    inFlight.keep(memory, stream);
  }

  /** Returns how many pieces of memory are kept reachable. */
  int kept() {
    return inFlight.size();
  }

  Handle handle() {
    return handle;
  }

  /** Returns the launches on this stream that may not be over. */
  LaunchRing launches() {
    return launches;
  }

  /**
   * Closes the stream once its work is done. Closing twice, or the default stream, has no effect.
   */
  @Override
  public void close() {
    handle.close();
  }

  /** Returns the device, such as {@code stream of device 0}. */
  @Override
  public String toString() {
    return "stream of device " + device.ordinal();
  }
}
