// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import org.jspecify.annotations.Nullable;

/** Makes and ends signals, which any agent may use. */
final class Signals {
  private Signals() {}

  static long create(Hsa hsa, long initial) {
    long[] signal = new long[1];
    HsaFailure.check("hsa_signal_create", hsa.hsa_signal_create(initial, 0, 0, signal));
    return signal[0];
  }

  /** Returns the failure of the copy that lowers a signal; null if it has not failed. */
  static @Nullable HsaFailure failureOfCopy(Hsa hsa, long signal) {
    return hsa.hsa_signal_load_scacquire(signal) < 0
        ? new HsaFailure(HsaFailure.ILLEGAL_ADDRESS, "a copy failed")
        : null;
  }

  /** Ends a signal; nothing if it is 0. */
  static void destroy(Hsa hsa, long signal) {
    if (signal != 0) {
      int unused = hsa.hsa_signal_destroy(signal);
    }
  }
}
