// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import com.sun.jna.Memory;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.PinnedBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Copies of one size between memory of the host, all of which is in use, and of the device. */
final class Copies implements AutoCloseable {
  private static final int WARM_UPS = 3;

  private final DeviceBuffer onDevice;
  private final PinnedBuffer pinned;
  private final Effort effort;

  /** Allocates the memory that all rounds share. */
  Copies(HipDevice device, Effort effort) {
    onDevice = device.allocate(effort.copyBytes());
    pinned = device.allocatePinned(effort.copyBytes());
    this.effort = effort;
    onDevice.fill((byte) 1);
    onDevice.copyTo(pinned.bytes());
  }

  /** Returns a side that measures the seconds of a copy to the device. */
  Alternation.Side toDevice(boolean fromPinned) {
    return () -> measure(fromPinned, onDevice::copyFrom);
  }

  /** Returns a side that measures the seconds of a copy from the device. */
  Alternation.Side fromDevice(boolean toPinned) {
    return () -> measure(toPinned, onDevice::copyTo);
  }

  /**
   * Pageable memory is allocated, written and freed in each round, as in each process of C: its
   * place decides its speed.
   */
  private List<Double> measure(boolean inPinned, Consumer<ByteBuffer> copy) {
    if (inPinned) {
      return measure(() -> copy.accept(pinned.bytes()), effort.copies());
    }
    try (Memory pageable = new Memory(onDevice.size())) {
      pageable.setMemory(0, pageable.size(), (byte) 1);
      ByteBuffer direct = pageable.getByteBuffer(0, pageable.size());
      return measure(() -> copy.accept(direct), effort.shortCopies());
    }
  }

  private static List<Double> measure(Runnable copy, int copies) {
    List<Double> seconds = new ArrayList<>();
    for (int i = -WARM_UPS; i < copies; i++) {
      long begin = System.nanoTime();
      copy.run();
      long nanos = System.nanoTime() - begin;
      if (i >= 0) {
        seconds.add(nanos / 1e9);
      }
    }
    return List.of(new Samples(seconds).median());
  }

  @Override
  public void close() {
    pinned.close();
    onDevice.close();
  }
}
