// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.binding.Hip;
import java.time.Duration;

/**
 * A mark in a stream. A caller can ask whether the stream has passed it, or wait for that; the
 * event keeps the time of the passing.
 *
 * <pre>{@code
 * try (HipEvent start = device.createEvent();
 *     HipEvent end = device.createEvent()) {
 *   start.record(stream);
 *   saxpy.launch(config, stream, arguments);
 *   end.record(stream);
 *   end.synchronize();
 *   Duration elapsed = end.elapsedSince(start);
 * }
 * }</pre>
 *
 * <p>Safe for use by any number of threads. Uses after closing throw {@link IllegalStateException}.
 */
public final class HipEvent implements AutoCloseable {
  private final HipDevice device;
  private final Handle handle;

  private HipEvent(HipDevice device, Handle handle) {
    this.device = device;
    this.handle = handle;
  }

  static HipEvent create(HipDevice device) {
    DeviceContext context = device.context();
    long[] event = new long[1];
    context.call("hipEventCreateWithFlags", hip -> hip.hipEventCreateWithFlags(event, 0));
    return new HipEvent(
        device,
        Handle.of(
            "event",
            event[0],
            device.leaks(),
            value -> context.call("hipEventDestroy", hip -> hip.hipEventDestroy(value))));
  }

  /** {@return the device whose streams it marks} */
  public HipDevice device() {
    return device;
  }

  /**
   * Marks the work given to {@code stream} so far. A wait for an earlier mark still waits for that
   * one.
   *
   * @param stream a stream of this event's device
   * @throws IllegalArgumentException if the stream is of another device; nothing is changed
   * @throws IllegalStateException if this event or the stream is closed
   * @throws HipException if the runtime fails
   */
  public void record(HipStream stream) {
    requireNonNull(stream, "stream");
    device.requireSame("a stream", stream.device(), "an event");
    device.context().call("hipEventRecord", handle, stream.handle(), Hip::hipEventRecord);
  }

  /**
   * Waits until the stream has passed the mark; not at all if there is none yet. Interrupts have no
   * effect, and a virtual thread keeps its carrier.
   *
   * @throws IllegalStateException if this event is closed
   * @throws HipException if the runtime fails, or work before the mark did
   */
  public void synchronize() {
    device.context().call("hipEventSynchronize", handle, Hip::hipEventSynchronize);
  }

  /**
   * {@return whether the stream has passed the mark; true if there is none yet}
   *
   * @throws IllegalStateException if this event is closed
   * @throws HipException if the runtime fails, or work before the mark did
   */
  public boolean isDone() {
    DeviceContext context = device.context();
    int status = handle.query(event -> context.status(hip -> hip.hipEventQuery(event)));
    return context.isDone("hipEventQuery", status);
  }

  /**
   * {@return the time from when the stream passed {@code start} to when it passed this mark, or
   * another stream of the same device did; negative if it was the other way round} The runtime
   * gives it in milliseconds as a 32-bit number, of which some 7 digits count.
   *
   * @param start an event of the same device that has passed its mark
   * @throws IllegalArgumentException if {@code start} is of another device
   * @throws IllegalStateException if one of the two is closed
   * @throws HipException if one of the two was never recorded (400, {@code hipErrorInvalidHandle})
   *     or is not passed yet (600, {@code hipErrorNotReady}), or the runtime fails otherwise
   */
  public Duration elapsedSince(HipEvent start) {
    requireNonNull(start, "start");
    device.requireSame("an event", start.device(), "an event");
    DeviceContext context = device.context();
    float[] milliseconds = new float[1];
    context.call(
        "hipEventElapsedTime",
        start.handle,
        handle,
        (hip, begin, stop) -> hip.hipEventElapsedTime(milliseconds, begin, stop));
    return Duration.ofNanos(Math.round(milliseconds[0] * 1e6));
  }

  Handle handle() {
    return handle;
  }

  /** Closes the event; waits that have begun go on. Closing twice has no effect. */
  @Override
  public void close() {
    handle.close();
  }

  /** Returns the device, such as {@code event of device 0}. */
  @Override
  public String toString() {
    return "event of device " + device.ordinal();
  }
}
