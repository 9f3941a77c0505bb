// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.binding.Hip;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a device.
 *
 * <pre>{@code
 * float[] values = {1, 2, 3, 4};
 * try (DeviceBuffer buffer = device.allocate((long) Float.BYTES * values.length)) {
 *   buffer.copyFrom(values);
 *   scale.launch(
 *       LaunchConfig.covering(values.length, 256),
 *       stream,
 *       KernelArguments.of(values.length, 2f, buffer));
 *   stream.synchronize(); // copies without a stream do not wait for it
 *   buffer.copyTo(values);
 * }
 * }</pre>
 *
 * <p>Copies read and write the remaining elements of a {@link Buffer}, of bytes or a view of
 * another type, in native order; its position does not change. Arrays are copied whole; a part of
 * one can be {@linkplain FloatBuffer#wrap(float[], int, int) wrapped}. A copy starts at this
 * buffer's first byte: {@link #slice} gives another start. Sizes and offsets are in bytes.
 *
 * <p>Methods without a stream wait until it is done. They go through the default stream, so they do
 * not wait for work of other streams: {@linkplain HipStream#synchronize wait} for that first.
 * Methods with a stream ask it for the work and return; the host's memory must be direct or
 * {@linkplain PinnedBuffer pinned}, must not be changed before the stream has passed the copy, and
 * is kept reachable until then.
 *
 * <p>All of them throw, before anything is done, {@link IndexOutOfBoundsException} if this buffer
 * is too small, {@link IllegalArgumentException} if the host's memory or the stream does not fit,
 * and {@link IllegalStateException} if a buffer or stream is closed. {@link HipException} says that
 * the runtime failed; what was to be written then has unknown contents.
 *
 * <p>Safe for use by any number of threads, except for the contents: callers that write to the same
 * bytes have to agree on an order.
 */
public final class DeviceBuffer implements AutoCloseable {
  private final HipDevice device;
  private final Handle owner;
  private final boolean owned;
  private final long address;
  private final long size;

  /**
   * Creates a buffer.
   *
   * @param owner the handle that keeps the memory alive
   * @param owned whether closing the buffer closes {@code owner}
   */
  DeviceBuffer(HipDevice device, Handle owner, boolean owned, long address, long size) {
    this.device = device;
    this.owner = owner;
    this.owned = owned;
    this.address = address;
    this.size = size;
  }

  /** {@return the device of the memory} */
  public HipDevice device() {
    return device;
  }

  /** {@return the size in bytes} */
  public long size() {
    return size;
  }

  /**
   * {@return whether the address of the first byte is a multiple of some bytes} A kernel needs that
   * of its elements' size. Closing the buffer changes nothing about it.
   *
   * @param bytes more than 0
   * @throws IllegalArgumentException if {@code bytes} is not
   */
  public boolean isAligned(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("an alignment must be positive: " + bytes);
    }
    return Long.remainderUnsigned(address, bytes) == 0;
  }

  /**
   * {@return a part of this memory} It is open as long as this buffer is, and closing it has no
   * effect; the memory stays while this buffer or the part can be reached.
   *
   * @param offset where the part begins, in bytes from the start of this buffer
   * @param size of the part, in bytes; 0 is allowed
   * @throws IndexOutOfBoundsException if this buffer does not have all of it
   */
  public DeviceBuffer slice(long offset, long size) {
    if (offset < 0 || size < 0 || offset > this.size - size) {
      throw new IndexOutOfBoundsException(
          "%d bytes at offset %d are not all inside of the buffer's %d"
              .formatted(size, offset, this.size));
    }
    return new DeviceBuffer(device, owner, false, address + offset, size);
  }

  /**
   * Copies the remaining elements of {@code source} to this buffer.
   *
   * @param source the elements to copy; its position is left alone
   */
  public void copyFrom(Buffer source) {
    requireNonNull(source, "source");
    HostMemory memory = HostMemory.source(source);
    checkFits(memory.bytes());
    whileOpen(memory.bytes(), () -> device.context().copies().toDevice(memory, address));
  }

  /**
   * Asks {@code stream} to copy the remaining elements of {@code source}, outside of the Java heap,
   * to this buffer.
   *
   * @param source a direct buffer, which nobody may change before the copy is done; its position is
   *     left alone
   * @param stream a stream of this device
   */
  public void copyFrom(Buffer source, HipStream stream) {
    requireNonNull(source, "source");
    requireNonNull(stream, "stream");
    askForCopy(
        stream,
        HostMemory.source(source),
        "hipMemcpyHtoDAsync",
        (hip, from, bytes, queue) -> hip.hipMemcpyHtoDAsync(address, from, bytes, queue));
  }

  /**
   * Copies all of {@code source}, of this device or another, to this buffer. A copy between devices
   * waits for the default streams of both.
   *
   * @param source copied whole; this buffer may be longer
   * @throws IllegalArgumentException if it is on a device of another runtime, or the two overlap
   */
  public void copyFrom(DeviceBuffer source) {
    requireNonNull(source, "source");
    source.owner.use(
        unused -> {
          if (!source.device.equals(device)) {
            source.device.defaultStream().synchronize();
          }
          andWait(stream -> copyFrom(source, stream));
        });
  }

  /**
   * Asks {@code stream} to copy all of {@code source} to this buffer. Neither may be closed before
   * the stream is done, unless it was {@linkplain HipStream#allocate allocated} there.
   *
   * <p>If the two are on different devices, the stream may be one of either. Work of other streams
   * that has to come before or after the copy is ordered by {@linkplain HipStream#waitFor(HipEvent)
   * events}. Where the stream's device cannot reach the other's memory, the copy goes through
   * pinned memory of the host, and this method waits until it is done.
   *
   * @param source copied whole; this buffer may be longer
   * @param stream a stream of this device or of the source's
   * @throws IllegalArgumentException if it is on a device of another runtime, or the two overlap
   */
  public void copyFrom(DeviceBuffer source, HipStream stream) {
    requireNonNull(source, "source");
    requireNonNull(stream, "stream");
    checkSource(source);
    if (!source.device.equals(device)) {
      copyFromPeer(source, stream);
      return;
    }
    source.owner.use(
        unused ->
            ask(
                stream,
                source.size,
                null,
                "hipMemcpyDtoDAsync",
                (hip, queue) ->
                    hip.hipMemcpyDtoDAsync(address, source.address, source.size, queue)));
  }

  private void copyFromPeer(DeviceBuffer source, HipStream stream) {
    if (!stream.device().equals(source.device)) {
      device.requireSame("a stream", stream.device(), "memory");
    }
    source.owner.use(unused -> whileOpen(source.size, () -> PeerCopy.copy(this, source, stream)));
  }

  /**
   * Fills the remaining elements of {@code target} from this buffer.
   *
   * @param target where the elements go; its position is left alone
   */
  public void copyTo(Buffer target) {
    requireNonNull(target, "target");
    HostMemory memory = HostMemory.target(target);
    checkFits(memory.bytes());
    whileOpen(memory.bytes(), () -> device.context().copies().fromDevice(address, memory));
  }

  /**
   * Asks {@code stream} to fill the remaining elements of {@code target}, outside of the Java heap,
   * from this buffer.
   *
   * @param target a direct buffer, which nobody may read before the copy is done; its position is
   *     left alone
   * @param stream a stream of this device
   */
  public void copyTo(Buffer target, HipStream stream) {
    requireNonNull(target, "target");
    requireNonNull(stream, "stream");
    askForCopy(
        stream,
        HostMemory.target(target),
        "hipMemcpyDtoHAsync",
        (hip, to, bytes, queue) -> hip.hipMemcpyDtoHAsync(to, address, bytes, queue));
  }

  /**
   * Copies all of {@code source} to this buffer.
   *
   * @param source copied whole; this buffer may be longer
   */
  public void copyFrom(byte[] source) {
    requireNonNull(source, "source");
    copyFrom(ByteBuffer.wrap(source));
  }

  /**
   * Fills {@code target} from this buffer.
   *
   * @param target filled whole; this buffer may be longer
   */
  public void copyTo(byte[] target) {
    requireNonNull(target, "target");
    copyTo(ByteBuffer.wrap(target));
  }

  /**
   * Copies all of {@code source} to this buffer.
   *
   * @param source copied whole; this buffer may be longer
   */
  public void copyFrom(short[] source) {
    requireNonNull(source, "source");
    copyFrom(ShortBuffer.wrap(source));
  }

  /**
   * Fills {@code target} from this buffer.
   *
   * @param target filled whole; this buffer may be longer
   */
  public void copyTo(short[] target) {
    requireNonNull(target, "target");
    copyTo(ShortBuffer.wrap(target));
  }

  /**
   * Copies all of {@code source} to this buffer.
   *
   * @param source copied whole; this buffer may be longer
   */
  public void copyFrom(int[] source) {
    requireNonNull(source, "source");
    copyFrom(IntBuffer.wrap(source));
  }

  /**
   * Fills {@code target} from this buffer.
   *
   * @param target filled whole; this buffer may be longer
   */
  public void copyTo(int[] target) {
    requireNonNull(target, "target");
    copyTo(IntBuffer.wrap(target));
  }

  /**
   * Copies all of {@code source} to this buffer.
   *
   * @param source copied whole; this buffer may be longer
   */
  public void copyFrom(long[] source) {
    requireNonNull(source, "source");
    copyFrom(LongBuffer.wrap(source));
  }

  /**
   * Fills {@code target} from this buffer.
   *
   * @param target filled whole; this buffer may be longer
   */
  public void copyTo(long[] target) {
    requireNonNull(target, "target");
    copyTo(LongBuffer.wrap(target));
  }

  /**
   * Copies all of {@code source} to this buffer.
   *
   * @param source copied whole; this buffer may be longer
   */
  public void copyFrom(float[] source) {
    requireNonNull(source, "source");
    copyFrom(FloatBuffer.wrap(source));
  }

  /**
   * Fills {@code target} from this buffer.
   *
   * @param target filled whole; this buffer may be longer
   */
  public void copyTo(float[] target) {
    requireNonNull(target, "target");
    copyTo(FloatBuffer.wrap(target));
  }

  /**
   * Copies all of {@code source} to this buffer.
   *
   * @param source copied whole; this buffer may be longer
   */
  public void copyFrom(double[] source) {
    requireNonNull(source, "source");
    copyFrom(DoubleBuffer.wrap(source));
  }

  /**
   * Fills {@code target} from this buffer.
   *
   * @param target filled whole; this buffer may be longer
   */
  public void copyTo(double[] target) {
    requireNonNull(target, "target");
    copyTo(DoubleBuffer.wrap(target));
  }

  /**
   * Sets every byte of this buffer.
   *
   * @param value what each byte becomes
   */
  public void fill(byte value) {
    andWait(stream -> fill(value, stream));
  }

  /**
   * Asks {@code stream} to set every byte of this buffer.
   *
   * @param value what each byte becomes
   * @param stream a stream of this device
   */
  public void fill(byte value, HipStream stream) {
    requireNonNull(stream, "stream");
    ask(
        stream,
        size,
        null,
        "hipMemsetD8Async",
        (hip, queue) -> hip.hipMemsetD8Async(address, value & 0xff, size, queue));
  }

  /**
   * Sets every {@code int} of this buffer; also useful for the bits of a {@code float}.
   *
   * @param value what each {@code int} becomes
   * @throws IllegalArgumentException if its size or its place in the device's memory is no multiple
   *     of 4
   */
  public void fillInts(int value) {
    andWait(stream -> fillInts(value, stream));
  }

  /**
   * Asks {@code stream} to set every {@code int} of this buffer.
   *
   * @param value what each {@code int} becomes
   * @param stream a stream of this device
   * @throws IllegalArgumentException if its size or its place in the device's memory is no multiple
   *     of 4
   */
  public void fillInts(int value, HipStream stream) {
    requireNonNull(stream, "stream");
    long count = ints();
    ask(
        stream,
        size,
        null,
        "hipMemsetD32Async",
        (hip, queue) -> hip.hipMemsetD32Async(address, value, count, queue));
  }

  private long ints() {
    if (size % Integer.BYTES != 0 || !isAligned(Integer.BYTES)) {
      throw new IllegalArgumentException(
          "a buffer of %d bytes at address %#x does not consist of aligned ints"
              .formatted(size, address));
    }
    return size / Integer.BYTES;
  }

  private void checkFits(long bytes) {
    if (bytes > size) {
      throw new IndexOutOfBoundsException(
          "%d bytes are more than the buffer's %d".formatted(bytes, size));
    }
  }

  private void checkSource(DeviceBuffer source) {
    if (device.library() != source.device.library()) {
      throw new IllegalArgumentException(
          "memory of %s cannot be copied to memory of %s: they are devices of different runtimes"
              .formatted(source.device, device));
    }
    checkFits(source.size);
    boolean together = device.equals(source.device);
    if (together
        && address < source.address + source.size
        && source.address < address + source.size) {
      throw new IllegalArgumentException("the source of the copy overlaps its target");
    }
  }

  /** Asks the default stream for work, and waits for it. */
  private void andWait(Consumer<HipStream> work) {
    HipStream stream = device.defaultStream();
    owner.use(
        unused -> {
          work.accept(stream);
          if (size > 0) {
            stream.synchronize();
          }
        });
  }

  /** A call that copies from or to the host's memory. */
  private interface HostCall {
    int of(Hip hip, long host, long bytes, long stream);
  }

  /** Asks a stream for a copy from or to memory outside of the Java heap. */
  private void askForCopy(HipStream stream, HostMemory memory, String function, HostCall call) {
    memory.requireDirect();
    checkFits(memory.bytes());
    long host = memory.address();
    long bytes = memory.bytes();
    ask(stream, bytes, memory.buffer(), function, (hip, queue) -> call.of(hip, host, bytes, queue));
  }

  /** Asks a stream for a call, which uses the memory of {@code host} if that is not null. */
  private void ask(
      HipStream stream,
      long bytes,
      @Nullable Buffer host,
      String function,
      DeviceContext.HandleCall call) {
    device.requireSame("a stream", stream.device(), "memory");
    stream
        .handle()
        .use(
            queue ->
                whileOpen(
                    bytes,
                    () -> {
                      device.context().call(function, hip -> call.of(hip, queue));
                      if (host != null) {
                        stream.keep(host, queue);
                      }
                    }));
  }

  /** Uses this memory, unless for no bytes. */
  private void whileOpen(long bytes, Runnable use) {
    owner.use(
        unused -> {
          if (bytes > 0) {
            use.run();
          }
        });
  }

  /** Returns the device address, for a caller that keeps the memory open. */
  long address() {
    return address;
  }

  /** Returns the device address, which stays valid until {@link #release}. */
  long acquire() {
    long unused = owner.acquire();
    return address;
  }

  void release() {
    owner.release();
  }

  /**
   * Frees the memory once the device's work is done. Closing twice, or closing a part, has no
   * effect.
   */
  @Override
  public void close() {
    if (owned) {
      owner.close();
    }
  }

  /** Returns the size and the device, such as {@code 16 bytes of device 0}. */
  @Override
  public String toString() {
    return "%d bytes of device %d".formatted(size, device.ordinal());
  }
}
