// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.testing.Memory.Place;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies and fills as work of a stream. Where they lead is checked when they are asked for, and
 * that the memory is still there when they are done.
 */
final class Copies {
  private Copies() {}

  static void toDevice(Machine machine, long target, long host, long size, long stream) {
    Place place = machine.memory().require(target, size);
    machine.stream(stream)
        .submit(
            () -> {
              requireThere(place);
              for (long done = 0; done < size; ) {
                ByteBuffer piece = piece(host + done, size - done);
                int count = piece.remaining();
                place.region().copyFrom(place.offset() + done, piece);
                done += count;
              }
            });
  }

  static void toHost(Machine machine, long host, long source, long size, long stream) {
    Place place = machine.memory().require(source, size);
    machine.stream(stream)
        .submit(
            () -> {
              requireThere(place);
              for (long done = 0; done < size; ) {
                ByteBuffer piece = piece(host + done, size - done);
                int count = piece.remaining();
                place.region().copyTo(place.offset() + done, piece);
                done += count;
              }
            });
  }

  private static ByteBuffer piece(long address, long size) {
    return HipLibrary.view(address, (int) Math.min(size, 1 << 30)).order(ByteOrder.nativeOrder());
  }

  static void onDevices(Machine machine, long target, long source, long size, long stream) {
    Place to = machine.memory().require(target, size);
    Place from = machine.memory().require(source, size);
    machine.stream(stream)
        .submit(
            () -> {
              requireThere(to);
              requireThere(from);
              to.region().copyFrom(to.offset(), from.region(), from.offset(), size);
            });
  }

  /** Fills with a number of {@code width} bytes. */
  static void fill(Machine machine, long target, int width, int bits, long count, long stream) {
    Place place = machine.memory().require(target, width * count);
    machine.stream(stream)
        .submit(
            () -> {
              requireThere(place);
              place.region().fill(place.offset(), width, bits, count);
            });
  }

  private static void requireThere(Place place) {
    if (place.region().isFreed()) {
      throw new StandInError(
          StandInError.ILLEGAL_ADDRESS, "a copy used " + place.region() + " after it was freed");
    }
  }
}
