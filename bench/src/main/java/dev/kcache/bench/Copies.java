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
  private final ByteBuffer pageable;
  private final int copies;

  /** Allocates all three. */
  Copies(HipDevice device, Effort effort) {
    onDevice = device.allocate(effort.copyBytes());
    pinned = device.allocatePinned(effort.copyBytes());
    pageable = ByteBuffer.allocateDirect(effort.copyBytes()).order(ByteOrder.nativeOrder());
    copies = effort.copies();
    onDevice.fill((byte) 1);
    onDevice.copyTo(pinned.bytes());
    onDevice.copyTo(pageable);
  }

  /** Returns a side that measures the seconds of a copy to the device. */
  Alternation.Side toDevice(boolean fromPinned) {
    ByteBuffer host = fromPinned ? pinned.bytes() : pageable;
    return () -> measure(() -> onDevice.copyFrom(host));
  }

  /** Returns a side that measures the seconds of a copy from the device. */
  Alternation.Side fromDevice(boolean toPinned) {
    ByteBuffer host = toPinned ? pinned.bytes() : pageable;
    return () -> measure(() -> onDevice.copyTo(host));
  }

  private List<Double> measure(Runnable copy) {
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
