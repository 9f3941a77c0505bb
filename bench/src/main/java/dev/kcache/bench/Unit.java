// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.Locale;

/** The unit of a figure, and its form for people. */
public enum Unit {
  /** Seconds, shown in seconds. */
  SECONDS("seconds", 1, "%.2f", "s", false),
  /** Seconds, shown in nanoseconds. */
  NANOSECONDS("seconds", 1e9, "%.0f", "ns", false),
  /** Seconds, shown in microseconds. */
  MICROSECONDS("seconds", 1e6, "%.1f", "µs", false),
  /** Seconds, shown in milliseconds. */
  MILLISECONDS("seconds", 1e3, "%.3f", "ms", false),
  /** Bytes per second. */
  BYTES_PER_SECOND("bytesPerSecond", 1e-9, "%.1f", "GB/s", true),
  /** Bytes. */
  BYTES("bytes", 1, "%.2f", "B", false),
  /** Bytes, shown in millions. */
  MEGABYTES("bytes", 1e-6, "%.0f", "MB", false);

  private final String key;
  private final double factor;
  private final String digits;
  private final String symbol;
  private final boolean moreIsFaster;

  Unit(String key, double factor, String digits, String symbol, boolean moreIsFaster) {
    this.key = key;
    this.factor = factor;
    this.digits = digits;
    this.symbol = symbol;
    this.moreIsFaster = moreIsFaster;
  }

  /** Returns the name of the unit in JSON. */
  public String key() {
    return key;
  }

  /** Returns a figure with its unit. */
  public String format(double value) {
    return digits(value) + " " + symbol;
  }

  /** Returns a figure without its unit. */
  public String digits(double value) {
    return String.format(Locale.ROOT, digits, value * factor);
  }

  /** Returns kcache's speed over C's, for the quotient of their figures. */
  public double speed(double quotient) {
    return moreIsFaster ? quotient : 1 / quotient;
  }
}
