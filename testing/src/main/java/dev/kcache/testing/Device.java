// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A device of a stand-in. */
final class Device {
  private final int ordinal;
  private final DeviceTraits traits;
  private final Stream defaultStream = new Stream(this);
  private final List<Stream> streams = new ArrayList<>(List.of(defaultStream));
  private final Set<Integer> peers = new HashSet<>();
  private long used;
  private @Nullable StandInError loss;

  Device(int ordinal, DeviceTraits traits) {
    this.ordinal = ordinal;
    this.traits = traits;
  }

  int ordinal() {
    return ordinal;
  }

  DeviceTraits traits() {
    return traits;
  }

  Stream defaultStream() {
    return defaultStream;
  }

  Stream createStream() {
    Stream stream = new Stream(this);
    streams.add(stream);
    return stream;
  }

  void end(Stream stream) {
    stream.drain();
    streams.remove(stream);
  }

  /** Does all work of all streams. */
  void drain() {
    // A kernel's body may create streams.
    List.copyOf(streams).forEach(Stream::drain);
  }

  /** Loses the device, as a GPU's context is lost by a fault: all work is dropped. */
  void lose(StandInError reason) {
    if (loss == null) {
      loss = reason;
    }
    streams.forEach(Stream::drop);
  }

  boolean isLost() {
    return loss != null;
  }

  /** Throws why the device is lost, if it is. */
  void requireAlive() {
    if (loss != null) {
      throw loss;
    }
  }

  /** Takes some of the device's memory. */
  void take(long bytes) {
    if (bytes > free()) {
      drain();
    }
    if (bytes > free()) {
      throw new StandInError(
          StandInError.OUT_OF_MEMORY,
          "%d bytes of device %d's %d are free, fewer than %d"
              .formatted(free(), ordinal, traits.memoryBytes(), bytes));
    }
    used += bytes;
  }

  void giveBack(long bytes) {
    used -= bytes;
  }

  long free() {
    return traits.memoryBytes() - used;
  }

  /** Lets the device use another's memory; returns whether it could not before. */
  boolean enablePeer(int other) {
    return peers.add(other);
  }

  boolean reaches(Region region) {
    int owner = region.device();
    return owner == ordinal || owner == Region.HOST || peers.contains(owner);
  }
}
