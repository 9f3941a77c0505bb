// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import java.util.Arrays;

/** What operations require of their tensors, with messages that name the operation. */
final class Checks {
  private final String operation;
  private final HipDevice device;

  /**
   * Creates the checks of an operation.
   *
   * @param operation as messages name it
   * @param device where all tensors have to be
   */
  Checks(String operation, HipDevice device) {
    this.operation = operation;
    this.device = device;
  }

  /** Requires that none is null. */
  static void requireOne(DeviceTensor x, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
  }

  /** Requires that none is null. */
  static void requirePair(
      DeviceTensor left, DeviceTensor right, DeviceTensor out, HipStream stream) {
    requireNonNull(left, "left");
    requireNonNull(right, "right");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
  }

  /** Requires that a tensor is on the device. */
  void onDevice(String name, DeviceTensor tensor) {
    onDevice(name, tensor.buffer());
  }

  /** Requires that memory is on the device. */
  void onDevice(String name, DeviceBuffer memory) {
    if (!memory.device().equals(device)) {
      throw failure(
          "%s is on device %d, and the kernels are on device %d"
              .formatted(name, memory.device().ordinal(), device.ordinal()));
    }
  }

  /** Requires a type. */
  void type(String name, DeviceTensor tensor, DType wanted) {
    if (tensor.type() != wanted) {
      throw failure("%s is %s and must be %s".formatted(name, tensor.type(), wanted));
    }
  }

  /** Requires a type of floats. */
  void floats(String name, DeviceTensor tensor) {
    if (!tensor.type().isFloatingPoint()) {
      throw failure("%s is %s and must be f32, f64, f16 or bf16".formatted(name, tensor.type()));
    }
  }

  /** Requires that a result lies one element after the other. */
  void contiguous(String name, DeviceTensor tensor) {
    if (!tensor.layout().isContiguous()) {
      throw failure("%s must be contiguous, and is %s".formatted(name, tensor.layout()));
    }
  }

  /** Requires that a tensor has an axis. */
  void axis(String name, DeviceTensor tensor, int axis) {
    int rank = tensor.layout().rank();
    if (axis < 0 || axis >= rank) {
      throw failure(
          "%s has no dimension %d: it has %d, counted from 0".formatted(name, axis, rank));
    }
  }

  /** Requires a number of dimensions. */
  void rank(String name, DeviceTensor tensor, int wanted) {
    if (tensor.layout().rank() != wanted) {
      throw failure(
          "%s must have %s, and the layout is %s"
              .formatted(
                  name, wanted == 1 ? "1 dimension" : wanted + " dimensions", tensor.layout()));
    }
  }

  /** Requires that a result has a place for each element: that strides tell them apart. */
  void distinct(String name, DeviceTensor tensor) {
    if (!tensor.layout().isDistinct()) {
      throw failure(
          "the strides of %s must not interlock or repeat; it is %s"
              .formatted(name, tensor.layout()));
    }
  }

  /** Requires a shape. */
  void shape(String name, DeviceTensor tensor, long... wanted) {
    if (!tensor.layout().hasShape(wanted)) {
      throw failure(
          "%s has the shape %s and must have %s"
              .formatted(name, Arrays.toString(tensor.layout().shape()), Arrays.toString(wanted)));
    }
  }

  /** Requires one dimension, of an extent, without an array, which would be garbage. */
  void shape(String name, DeviceTensor tensor, long extent) {
    Layout layout = tensor.layout();
    if (layout.rank() != 1 || layout.extent(0) != extent) {
      shape(name, tensor, new long[] {extent});
    }
  }

  /** Requires two dimensions, of some extents, without an array. */
  void shape(String name, DeviceTensor tensor, long rows, long columns) {
    Layout layout = tensor.layout();
    if (layout.rank() != 2 || layout.extent(0) != rows || layout.extent(1) != columns) {
      shape(name, tensor, new long[] {rows, columns});
    }
  }

  /** Requires the shape of another tensor. */
  void shapeOf(String name, DeviceTensor tensor, DeviceTensor other) {
    if (!tensor.layout().hasShapeOf(other.layout())) {
      shape(name, tensor, other.layout().shape());
    }
  }

  /** Requires that an operand broadcasts to a shape. */
  void broadcast(String name, DeviceTensor operand, long... shape) {
    try {
      operand.layout().requireBroadcast(shape);
    } catch (IllegalArgumentException e) {
      throw failure("%s does not fit out: %s".formatted(name, e.getMessage()));
    }
  }

  /**
   * Requires that a result overlaps no operand, unless both are the same elements and those have
   * the same size. Only tensors of one buffer are compared.
   */
  void apart(String name, DeviceTensor operand, DeviceTensor out) {
    boolean same =
        operand.type().bytes() == out.type().bytes() && operand.layout().equals(out.layout());
    if (!same) {
      disjoint(name, operand, out);
    }
  }

  /** Requires that a result overlaps no operand. Only tensors of one buffer are compared. */
  void disjoint(String name, DeviceTensor operand, DeviceTensor out) {
    if (overlap(operand, out)) {
      throw failure("out overlaps " + name);
    }
  }

  /** Requires that a result overlaps no operand. Only tensors of one buffer are compared. */
  void disjoint(String name, DeviceTensor operand, String result, DeviceTensor out) {
    if (overlap(operand, out)) {
      throw failure(result + " overlaps " + name);
    }
  }

  /** Requires that a result does not overlap the first bytes of a buffer. */
  void disjoint(String name, DeviceBuffer memory, long bytes, String result, DeviceTensor out) {
    if (memory == out.buffer() && out.layout().count() > 0 && first(out) < bytes) {
      throw failure(result + " overlaps " + name);
    }
  }

  private static boolean overlap(DeviceTensor operand, DeviceTensor out) {
    return operand.buffer() == out.buffer()
        && operand.layout().count() > 0
        && out.layout().count() > 0
        && first(operand) < end(out)
        && first(out) < end(operand);
  }

  private static long first(DeviceTensor tensor) {
    return tensor.layout().first() * tensor.type().bytes();
  }

  private static long end(DeviceTensor tensor) {
    return (tensor.layout().last() + 1) * tensor.type().bytes();
  }

  /** Returns a product of numbers that are not negative; requires that a long holds it. */
  long product(long a, long b) {
    if (Math.multiplyHigh(a, b) != 0 || a * b < 0) {
      throw failure("%d times %d is more than 2^63 - 1".formatted(a, b));
    }
    return a * b;
  }

  IllegalArgumentException failure(String what) {
    return new IllegalArgumentException(operation + ": " + what);
  }
}
