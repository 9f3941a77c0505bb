// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.PinnedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Copies of one size between memory of the host, which is all in use, and of the device. */
final class Copies implements AutoCloseable {
  private static final int WARM_UPS = 3;

  private final DeviceBuffer onDevice;
  private final PinnedBuffer pinned;
  private final Effort effort;

  /** Allocates what all rounds share. */
  Copies(HipDevice device, Effort effort) {
    onDevice = device.allocate(effort.copyBytes());
    pinned = device.allocatePinned(effort.copyBytes());
    this.effort = effort;
    onDevice.fill((byte) 1);
    onDevice.copyTo(pinned.bytes());
  }

  /** Returns a side that measures the seconds of a copy to the device. */
  Alternation.Side toDevice(boolean fromPinned) {
    return () -> {
      ByteBuffer host = host(fromPinned);
      return measure(() -> onDevice.copyFrom(host), fromPinned);
    };
  }

  /** Returns a side that measures the seconds of a copy from the device. */
  Alternation.Side fromDevice(boolean toPinned) {
    return () -> {
      ByteBuffer host = host(toPinned);
      return measure(() -> onDevice.copyTo(host), toPinned);
    };
  }

  /**
   * Returns memory, all of it written. What is pageable is new in each round, as it is in each
   * process of C: where it lies decides how fast it is.
   */
  private ByteBuffer host(boolean fromPinned) {
    if (fromPinned) {
      return pinned.bytes();
    }
    ByteBuffer pageable =
        ByteBuffer.allocateDirect((int) onDevice.size()).order(ByteOrder.nativeOrder());
    onDevice.copyTo(pageable);
    return pageable;
  }

  private List<Double> measure(Runnable copy, boolean whole) {
    int copies = whole ? effort.copies() : effort.shortCopies();
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
