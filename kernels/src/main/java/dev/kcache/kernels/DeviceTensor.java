// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.DeviceBuffer;

/**
 * Elements of one type in a device's memory, and where they lie in it. It does not own the memory:
 * the buffer has to stay open while kernels use it, and any number of tensors may be of one buffer.
 *
 * <p>Immutable, but for the elements; safe for use by any number of threads.
 */
public final class DeviceTensor {
  private final DeviceBuffer buffer;
  private final DType type;
  private final Layout layout;
  private final DeviceBuffer start;

  /**
   * Describes elements in a buffer.
   *
   * @param buffer the memory; unless there is no element, its address must be a multiple of the
   *     type's size, as that of allocated memory is
   * @param type of the elements
   * @param layout where they lie, counted from the start of the buffer
   * @throws IllegalArgumentException if the buffer is too small, or starts at another address
   */
  public DeviceTensor(DeviceBuffer buffer, DType type, Layout layout) {
    this.buffer = requireNonNull(buffer, "buffer");
    this.type = requireNonNull(type, "type");
    this.layout = requireNonNull(layout, "layout");
    long held = buffer.size() / type.bytes();
    if (layout.count() > 0 && layout.last() >= held) {
      throw new IllegalArgumentException(
          "a tensor of %s elements %s needs %d of them, and the buffer of %d bytes has %d"
              .formatted(type, layout, layout.last() + 1, buffer.size(), held));
    }
    if (layout.count() > 0) {
      checkAddress("a tensor of " + type + " elements", buffer, type.bytes());
    }
    long offset = layout.count() == 0 ? 0 : layout.offset() * type.bytes();
    start = buffer.slice(offset, buffer.size() - offset);
  }

  /** Requires an address that kernels can read at: others are a fault of the GPU. */
  static void checkAddress(String what, DeviceBuffer buffer, int divisor) {
    if (!buffer.isAligned(divisor)) {
      throw new IllegalArgumentException(
          "%s must start at an address that %d divides: slice the buffer at one, or copy it to one"
              .formatted(what, divisor));
    }
  }

  /**
   * {@return a tensor whose elements lie one after the other, row by row, from the buffer's start}
   *
   * @param buffer the memory
   * @param type of the elements
   * @param shape the extent of each dimension
   * @throws IllegalArgumentException if the buffer is too small or starts at a wrong address, or
   *     there is no such shape
   */
  public static DeviceTensor of(DeviceBuffer buffer, DType type, long... shape) {
    return new DeviceTensor(buffer, type, Layout.of(shape));
  }

  /** {@return the memory} */
  public DeviceBuffer buffer() {
    return buffer;
  }

  /** {@return the type of the elements} */
  public DType type() {
    return type;
  }

  /** {@return where the elements lie in the buffer} */
  public Layout layout() {
    return layout;
  }

  /**
   * {@return another view of the same memory}
   *
   * @param other counted from the start of the buffer, too
   * @throws IllegalArgumentException if the buffer is too small for it
   */
  public DeviceTensor withLayout(Layout other) {
    return new DeviceTensor(buffer, type, requireNonNull(other, "other"));
  }

  /** Returns the memory from the element whose indices are all 0: what kernels take. */
  DeviceBuffer start() {
    return start;
  }

  /** Returns a text such as {@code f32 [3, 4]}. */
  @Override
  public String toString() {
    return type + " " + layout;
  }
}
