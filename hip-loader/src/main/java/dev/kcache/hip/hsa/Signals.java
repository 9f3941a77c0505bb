// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

/** Makes and ends signals, which any agent may use. */
final class Signals {
  private Signals() {}

  static long create(Hsa hsa, long initial) {
    long[] signal = new long[1];
    HsaFailure.check("hsa_signal_create", hsa.hsa_signal_create(initial, 0, 0, signal));
    return signal[0];
  }

  /** Ends a signal; nothing if it is 0. */
  static void destroy(Hsa hsa, long signal) {
    if (signal != 0) {
      int unused = hsa.hsa_signal_destroy(signal);
    }
  }
}
