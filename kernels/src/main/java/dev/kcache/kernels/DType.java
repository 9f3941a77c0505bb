// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.EnumSet;
import java.util.Locale;

/** A type of the elements that a shipped kernel reads and writes. */
public enum DType {
  /** IEEE 754 binary32. */
  F32(4),
  /** IEEE 754 binary64. */
  F64(8),
  /** IEEE 754 binary16. */
  F16(2),
  /** The upper half of a binary32. */
  BF16(2),
  /** An unsigned byte. */
  U8(1),
  /** An unsigned 32-bit integer. */
  U32(4),
  /** A signed 32-bit integer. */
  I32(4),
  /** A signed 64-bit integer. */
  I64(8);

  private final int bytes;

  DType(int bytes) {
    this.bytes = bytes;
  }

  /** {@return whether it has fractions: F32, F64, F16 and BF16} */
  public boolean isFloatingPoint() {
    return compareTo(BF16) <= 0;
  }

  /** Returns the types without fractions: U8, U32, I32 and I64. */
  static EnumSet<DType> integers() {
    return EnumSet.range(U8, I64);
  }

  /** {@return the size of an element in bytes} */
  public int bytes() {
    return bytes;
  }

  /** Returns the name as kernels carry it, such as {@code f32}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
