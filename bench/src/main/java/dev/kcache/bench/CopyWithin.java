// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import java.util.List;

/** A copy from the device to itself. */
final class CopyWithin implements Alternation.Side, AutoCloseable {
  private final StreamTimer timer;
  private final DeviceBuffer from;
  private final DeviceBuffer to;
  private final int runs;

  /** Allocates both ends of a copy of {@code bytes}. */
  CopyWithin(HipDevice device, long bytes, Effort effort) {
    timer = new StreamTimer(device);
    from = device.allocate(bytes);
    to = device.allocate(bytes);
    from.fillInts(0x3f803f80);
    runs = effort.kernels();
  }

  /** Measures the seconds of a copy. */
  @Override
  public List<Double> measure() {
    return List.of(timer.seconds(runs, stream -> to.copyFrom(from, stream)));
  }

  @Override
  public void close() {
    to.close();
    from.close();
    timer.close();
  }
}
