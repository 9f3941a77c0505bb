// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Indices out of range, of which kernels leave the first one in device memory: {@code OutOfRange}
 * of {@code index.hip}, one for each stream, so that a check of a stream takes nothing from another
 * one.
 *
 * <p>Safe for use by any number of threads. The memory of streams that were collected serves new
 * ones, after a wait for the device, and all of it is freed at the end.
 */
final class IndexErrors implements AutoCloseable {
  private static final int BYTES = 24;

  private final HipDevice device;
  private volatile List<Slot> slots = List.of();
  private final Queue<DeviceBuffer> spare = new ArrayDeque<>();
  private boolean closed;

  /** What kernels can find an index out of range in; they are passed the ordinal. */
  enum Operation {
    INDEX_SELECT("indexSelect"),
    EMBEDDING("embedding"),
    GATHER("gather"),
    SCATTER_ADD("scatterAdd"),
    INDEX_ADD("indexAdd");

    private final String text;

    Operation(String text) {
      this.text = text;
    }

    /** Returns the name of the method. */
    @Override
    public String toString() {
      return text;
    }
  }

  /** A stream's memory. Launches and checks of the stream hold its monitor while they submit. */
  private record Slot(WeakReference<HipStream> stream, DeviceBuffer memory) {}

  IndexErrors(HipDevice device) {
    this.device = device;
  }

  /**
   * Launches a kernel whose last argument, the only one that is not set, is the memory for this.
   */
  void launch(
      LoadedKernel kernel,
      long threads,
      int blockSize,
      HipStream stream,
      KernelArguments arguments) {
    DeviceBuffer memory = memory(stream);
    synchronized (memory) {
      try {
        kernel.launch(threads, blockSize, stream, arguments.set(arguments.count() - 1, memory));
      } finally {
        // Else it could be collected, and its memory reclaimed, while it is being launched on.
        Reference.reachabilityFence(stream);
      }
    }
  }

  /** Returns a stream's memory, which is all 0 until a kernel leaves an index there. */
  DeviceBuffer memory(HipStream stream) {
    Slot slot = find(stream);
    return (slot == null ? open(stream) : slot).memory();
  }

  private @Nullable Slot find(HipStream stream) {
    List<Slot> known = slots;
    // An iterator would be garbage.
    for (int i = 0; i < known.size(); i++) {
      if (known.get(i).stream().refersTo(stream)) {
        return known.get(i);
      }
    }
    return null;
  }

  private synchronized Slot open(HipStream stream) {
    Slot known = find(stream);
    if (known != null) {
      return known;
    }
    if (closed) {
      throw new IllegalStateException("the kernel manager is closed");
    }
    if (spare.isEmpty()) {
      reclaim();
    }
    DeviceBuffer memory = spare.isEmpty() ? device.allocate(BYTES) : spare.remove();
    try {
      memory.fill((byte) 0, stream);
    } catch (RuntimeException e) {
      spare.add(memory);
      throw e;
    }
    List<Slot> more = new ArrayList<>(slots);
    Slot slot = new Slot(new WeakReference<>(stream), memory);
    more.add(slot);
    slots = List.copyOf(more);
    return slot;
  }

  /** Takes the memory of streams that were collected, maybe before their launches were done. */
  private void reclaim() {
    List<Slot> forgotten = slots.stream().filter(slot -> slot.stream().refersTo(null)).toList();
    if (!forgotten.isEmpty()) {
      device.synchronize();
      slots = slots.stream().filter(slot -> !forgotten.contains(slot)).toList();
      forgotten.forEach(slot -> spare.add(slot.memory()));
    }
  }

  /**
   * Waits for a stream.
   *
   * @throws IndexOutOfBoundsException if one of its launches before this call found an index out of
   *     range; the next check does not report it again
   */
  void check(HipStream stream) {
    Slot slot = find(stream);
    if (slot == null) {
      stream.synchronize();
      return;
    }
    ByteBuffer error = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());
    synchronized (slot.memory()) {
      // In the stream's order, so that no launch is between the two.
      slot.memory().copyTo(error, stream);
      slot.memory().fill((byte) 0, stream);
    }
    stream.synchronize();
    if (error.getInt() != 0) {
      Operation operation = Operation.values()[error.getInt()];
      throw new IndexOutOfBoundsException(
          "%s: index %d is out of range for a dimension of %d elements"
              .formatted(operation, error.getLong(), error.getLong()));
    }
  }

  /** Frees the memory once the device's work is done. */
  @Override
  public synchronized void close() {
    closed = true;
    slots.forEach(slot -> slot.memory().close());
    spare.forEach(DeviceBuffer::close);
  }
}
