// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/** HIP's current device, by its ordinal. */
record CurrentOrdinal(Calls hip, int ordinal) implements CurrentDevice {
  /** The functions of AMD's runtime for it; types are as in {@link Hip}. */
  interface Calls {
    int hipGetDevice(int[] deviceId);

    /** As the other, with the address of a C {@code int}. */
    int hipGetDevice(long deviceId);

    int hipSetDevice(int deviceId);
  }

  @Override
  public int get(long[] word) {
    int[] device = new int[1];
    int status = hip.hipGetDevice(device);
    word[0] = device[0];
    return status;
  }

  /** The machines that HIP is for have the lower half of a word first. */
  @Override
  public int get(long address) {
    return hip.hipGetDevice(address);
  }

  @Override
  public boolean isThis(long word) {
    return word == ordinal;
  }

  /** AMD's runtime holds a stream against the current device. */
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
