// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.HipLibrary;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * Memory of a device.
 *
 * <p>Safe for use by any number of threads, as far as the memory's contents are: those who write to
 * the same bytes have to agree on an order. Closing gives the memory back once work that was asked
 * for before is done; uses after that throw {@link IllegalStateException}.
 */
public final class DeviceBuffer implements AutoCloseable {
  private final HipDevice device;
  private final Handle memory;
  private final long offset;
  private final long size;

  private DeviceBuffer(HipDevice device, Handle memory, long offset, long size) {
    this.device = device;
    this.memory = memory;
    this.offset = offset;
    this.size = size;
  }

  static DeviceBuffer allocate(HipDevice device, long size) {
    if (size < 0) {
      throw new IllegalArgumentException("size must not be negative: " + size);
    }
    DeviceContext context = device.context();
    long[] address = new long[1];
    context.call("hipMalloc", hip -> hip.hipMalloc(address, size));
    Handle memory =
        Handle.of(
            "device buffer",
            address[0],
            device.leaks(),
            value -> context.call("hipFree", hip -> hip.hipFree(value)));
    return new DeviceBuffer(device, memory, 0, size);
  }

  /** Returns memory that somebody else owns, as long as {@code memory} is open. */
  static DeviceBuffer of(HipDevice device, Handle memory, long size) {
    return new DeviceBuffer(device, memory, 0, size);
  }

  /** Returns the device whose memory it is. */
  public HipDevice device() {
    return device;
  }

  /** Returns the size in bytes. */
  public long size() {
    return size;
  }

  /**
   * Copies the remaining bytes of {@code source} to the start of this buffer, and waits until that
   * is done. The position of {@code source} is left alone.
   *
   * @throws IndexOutOfBoundsException if they are more than this buffer has; nothing is copied
   * @throws IllegalStateException if this buffer is closed
   * @throws HipException if the runtime fails
   */
  public void copyFrom(ByteBuffer source) {
    int bytes = source.remaining();
    checkFits(bytes);
    ByteBuffer direct = direct(source);
    if (!source.isDirect()) {
      direct.put(0, source, source.position(), bytes);
    }
    long from = HipLibrary.address(direct) + (source.isDirect() ? source.position() : 0);
    long to = acquire();
    try {
      device.context().call("hipMemcpyHtoD", hip -> hip.hipMemcpyHtoD(to, from, bytes));
    } finally {
      release();
      Reference.reachabilityFence(direct);
    }
  }

  /**
   * Fills the remaining bytes of {@code target} from the start of this buffer, once work that was
   * asked for before on the default stream is done. The position of {@code target} is left alone.
   *
   * @throws IndexOutOfBoundsException if they are more than this buffer has; nothing is copied
   * @throws IllegalStateException if this buffer is closed
   * @throws HipException if the runtime fails
   */
  public void copyTo(ByteBuffer target) {
    int bytes = target.remaining();
    checkFits(bytes);
    ByteBuffer direct = direct(target);
    long to = HipLibrary.address(direct) + (target.isDirect() ? target.position() : 0);
    long from = acquire();
    try {
      device.context().call("hipMemcpyDtoH", hip -> hip.hipMemcpyDtoH(to, from, bytes));
    } finally {
      release();
      Reference.reachabilityFence(direct);
    }
    if (!target.isDirect()) {
      target.put(target.position(), direct, 0, bytes);
    }
  }

  private static ByteBuffer direct(ByteBuffer buffer) {
    return buffer.isDirect() ? buffer : ByteBuffer.allocateDirect(buffer.remaining());
  }

  private void checkFits(long bytes) {
    if (bytes > size) {
      throw new IndexOutOfBoundsException(
          "%d bytes do not fit into the buffer's %d".formatted(bytes, size));
    }
  }

  /** Returns the device address, which stays valid until {@link #release}. */
  long acquire() {
    return memory.acquire() + offset;
  }

  void release() {
    memory.release();
  }

  /** Gives the memory back. Closing twice has no effect. */
  @Override
  public void close() {
    memory.close();
  }

  @Override
  public String toString() {
    return "%d bytes of device %d".formatted(size, device.ordinal());
  }
}
