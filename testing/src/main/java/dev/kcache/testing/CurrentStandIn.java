// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.hip.binding.CurrentDevice;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteOrder;

/** Each thread's current device, by its ordinal. */
record CurrentStandIn(int ordinal) implements CurrentDevice {
  @Override
  public int get(long[] word) {
    word[0] = Machine.current().get()[0];
    return StandInError.SUCCESS;
  }

  @Override
  public int get(long address) {
    HipLibrary.view(address, Long.BYTES)
        .order(ByteOrder.nativeOrder())
        .putLong(0, Machine.current().get()[0]);
    return StandInError.SUCCESS;
  }

  @Override
  public boolean isThis(long word) {
    return word == ordinal;
  }

  /** As AMD's runtime, which checks a stream against the current device. */
  @Override
  public boolean maySkip(long stream) {
    return false;
  }

  @Override
  public boolean isRefused(int status) {
    return false;
  }

  @Override
  public int set() {
    return restore(ordinal);
  }

  @Override
  public int restore(long word) {
    Machine.current().get()[0] = (int) word;
    return StandInError.SUCCESS;
  }
}
