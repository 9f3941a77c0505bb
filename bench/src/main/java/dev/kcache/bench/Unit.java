// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.Locale;

/** What a figure counts, and how it is written for people. */
enum Unit {
  /** Seconds, of what takes nanoseconds. */
  NANOSECONDS("seconds", 1e9, "%.0f ns", false),
  /** Seconds, of what takes milliseconds. */
  MILLISECONDS("seconds", 1e3, "%.3f ms", false),
  /** Bytes per second. */
  BYTES_PER_SECOND("bytesPerSecond", 1e-9, "%.1f GB/s", true),
  /** Bytes. */
  BYTES("bytes", 1, "%.2f B", false);

  private final String key;
  private final double factor;
  private final String format;
  private final boolean moreIsFaster;

  Unit(String key, double factor, String format, boolean moreIsFaster) {
    this.key = key;
    this.factor = factor;
    this.format = format;
    this.moreIsFaster = moreIsFaster;
  }

  /** Returns what the unit is called in JSON. */
  String key() {
    return key;
  }

  /** Returns a figure with its unit. */
  String format(double value) {
    return String.format(Locale.ROOT, format, value * factor);
  }

  /** Returns kcache's speed as a part of C's, of kcache's figure over C's. */
  double speed(double quotient) {
    return moreIsFaster ? quotient : 1 / quotient;
  }
}
