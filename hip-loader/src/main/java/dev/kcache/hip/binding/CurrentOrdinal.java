// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/** HIP's current device, by its ordinal. */
record CurrentOrdinal(Calls hip, int ordinal) implements CurrentDevice {
  /** The functions of AMD's runtime for it; types are as in {@link Hip}. */
  interface Calls {
    /** Writes a C {@code int}, the lower half of a word on all machines of HIP. */
    int hipGetDevice(long[] deviceId);

    /** As the other, with the word's address. */
    int hipGetDevice(long deviceId);

    int hipSetDevice(int deviceId);
  }

  @Override
  public int get(long[] word) {
    return hip.hipGetDevice(word);
  }

  @Override
  public int get(long address) {
    return hip.hipGetDevice(address);
  }

  @Override
  public boolean isThis(long word) {
    return word == ordinal;
  }

  /** AMD's runtime checks a stream against the current device. */
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
    return hip.hipSetDevice(ordinal);
  }

  @Override
  public int restore(long word) {
    return hip.hipSetDevice((int) word);
  }
}
