// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import dev.kcache.hip.binding.CurrentDevice;

/**
 * The current device of calls that have no other way to name it. HSA has none, so that it is a
 * thread's of Java and no other library's.
 *
 * @param current each thread's ordinal, in an array of one element
 */
record CurrentAgent(ThreadLocal<int[]> current, int ordinal) implements CurrentDevice {
  @Override
  public int get(long[] word) {
    word[0] = current.get()[0];
    return HsaFailure.SUCCESS;
  }

  /** Never needed, since launches {@linkplain #maySkip know their device}. */
  @Override
  public int get(long address) {
    return HsaFailure.NOT_SUPPORTED;
  }

  @Override
  public boolean isThis(long word) {
    return word == ordinal;
  }

  /** The kernel knows its device. */
  @Override
  public boolean maySkip(long stream) {
    return true;
  }

  @Override
  public boolean isRefused(int status) {
    return false;
  }

  @Override
  public int set() {
    current.get()[0] = ordinal;
    return HsaFailure.SUCCESS;
  }

  @Override
  public int restore(long word) {
    current.get()[0] = (int) word;
    return HsaFailure.SUCCESS;
  }
}
