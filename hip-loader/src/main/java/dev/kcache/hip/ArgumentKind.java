// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata.Argument;
import org.jspecify.annotations.Nullable;

/** The kind of an argument of a launch, on the Java side. */
enum ArgumentKind {
  BOOLEAN("a boolean", 1),
  I8("a byte", 1),
  I16("a short", 2),
  I32("an int", 4),
  I64("a long", 8),
  F16("a Float16", 2),
  BF16("a BFloat16", 2),
  F32("a float", 4),
  F64("a double", 8),
  /** The bytes of a structure, as in memory. */
  STRUCT("a structure", -1),
  POINTER("a DevicePointer", Long.BYTES),
  BUFFER("a DeviceBuffer", Long.BYTES);

  private final String text;
  private final int size;

  ArgumentKind(String text, int size) {
    this.text = text;
    this.size = size;
  }

  /** Returns the size in bytes; not of a structure. */
  int size() {
    return size;
  }

  boolean isPointer() {
    return this == POINTER || this == BUFFER;
  }

  /**
   * Returns why this kind does not fit a parameter; null if it fits.
   *
   * @param bytes the size of the argument
   * @param pointersTold whether the code object tells a pointer from a number of its size
   */
  @Nullable String mismatch(Argument parameter, int bytes, boolean pointersTold) {
    return switch (parameter.valueKind()) {
      case "by_value" ->
          !(isPointer() && pointersTold) && bytes == parameter.size()
              ? null
              : "takes %d bytes by value, not %s".formatted(parameter.size(), described(bytes));
      case "global_buffer" ->
          isPointer() && bytes == parameter.size()
              ? null
              : "takes a pointer (a DeviceBuffer or a DevicePointer), not " + described(bytes);
      default -> "is of kind %s, which cannot be passed".formatted(parameter.valueKind());
    };
  }

  private String described(int bytes) {
    return isPointer() ? text : "%s (%d bytes)".formatted(text, bytes);
  }
}
