// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Page-locked memory of the host, which a device copies from and to directly: faster than other
 * memory, and without blocking the caller.
 *
 * <pre>{@code
 * try (PinnedBuffer pinned = device.allocatePinned(4 * n)) {
 *   pinned.bytes().asFloatBuffer().put(values);
 *   buffer.copyFrom(pinned.bytes(), stream);
 *   stream.synchronize();
 * }
 * }</pre>
 *
 * <p>Safe for use by any number of threads, except for the contents: callers that write to the same
 * bytes have to agree on an order.
 *
 * <p><b>Closing takes the memory away from under all views of it.</b> Java cannot invalidate a
 * {@link ByteBuffer}: using one after that reads or writes whatever is there by then, or crashes
 * the process. Without a close, the memory stays while this object, or any view of it, can be
 * reached.
 */
public final class PinnedBuffer implements AutoCloseable {
  private final HipDevice device;
  private final Handle memory;
  private final ByteBuffer all;

  private PinnedBuffer(HipDevice device, Handle memory, ByteBuffer all) {
    this.device = device;
    this.memory = memory;
    this.all = all;
  }

  static PinnedBuffer allocate(HipDevice device, int size) {
    Allocation.checkSize(size);
    DeviceContext context = device.context();
    long[] address = new long[1];
    if (size > 0) {
      context.call("hipHostMalloc", hip -> hip.hipHostMalloc(address, size, 0));
    }
    ByteBuffer all = size > 0 ? HipLibrary.view(address[0], size) : ByteBuffer.allocateDirect(0);
    Handle memory =
        Handle.rootedIn(
            all, "pinned buffer", address[0], device.leaks(), value -> free(context, value));
    return new PinnedBuffer(device, memory, all);
  }

  private static void free(DeviceContext context, long address) {
    if (address != 0) {
      // hipHostFree of ROCm 5 waits for the default stream only.
      int unused = context.status(hip -> hip.hipDeviceSynchronize());
      context.call("hipHostFree", hip -> hip.hipHostFree(address));
    }
  }

  /** {@return the device that the memory is pinned for} */
  public HipDevice device() {
    return device;
  }

  /** {@return the size in bytes} */
  public int size() {
    return all.capacity();
  }

  /**
   * {@return a new direct view of all of the memory, in native order} It and its slices can be
   * copied on a stream.
   *
   * @throws IllegalStateException if this buffer is closed
   */
  public ByteBuffer bytes() {
    memory.requireOpen();
    return all.duplicate().order(ByteOrder.nativeOrder());
  }

  /**
   * Frees the memory once its device's work is done; wait for copies on streams of other devices
   * first. No view may be used after that. Closing twice has no effect.
   */
  @Override
  public void close() {
    memory.close();
  }

  /** Returns the size and the device, such as {@code 16 bytes pinned for device 0}. */
  @Override
  public String toString() {
    return "%d bytes pinned for device %d".formatted(size(), device.ordinal());
  }
}
