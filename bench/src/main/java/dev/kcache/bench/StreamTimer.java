// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipEvent;
import dev.kcache.hip.HipStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures work of a stream by two events around it. The same work runs before, unmeasured: while
 * the device is busy with it, the host submits the rest, so that the device never waits for the
 * host between the events.
 */
final class StreamTimer implements AutoCloseable {
  private static final int WARM_UPS = 3;

  private final HipStream stream;
  private final HipEvent begin;
  private final HipEvent end;

  /** Creates a timer with a stream of its own. */
  StreamTimer(HipDevice device) {
    stream = device.createStream();
    begin = device.createEvent();
    end = device.createEvent();
  }

  /** Work for a stream. */
  interface Work {
    void ask(HipStream stream);
  }

  /** Returns the median time of the work in seconds. */
  double seconds(int runs, Work work) {
    List<Double> seconds = new ArrayList<>();
    for (int i = -WARM_UPS; i < runs; i++) {
      work.ask(stream);
      begin.record(stream);
      work.ask(stream);
      end.record(stream);
      end.synchronize();
      if (i >= 0) {
        seconds.add(end.elapsedSince(begin).toNanos() / 1e9);
      }
    }
    return new Samples(seconds).median();
  }

  @Override
  public void close() {
    end.close();
    begin.close();
    stream.close();
  }
}
