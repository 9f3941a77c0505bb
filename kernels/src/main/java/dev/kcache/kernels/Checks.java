// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import java.util.Arrays;

/** What operations require of their tensors, with messages that name the operation. */
final class Checks {
  private final String operation;
  private final HipDevice device;

  /**
   * Checks the tensors of one call.
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
    if (!tensor.buffer().device().equals(device)) {
      throw failure(
          "%s is on device %d, and the kernels are on device %d"
              .formatted(name, tensor.buffer().device().ordinal(), device.ordinal()));
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
          "%s has %d dimensions and must have %d".formatted(name, tensor.layout().rank(), wanted));
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
    if (!Arrays.equals(tensor.layout().shape(), wanted)) {
      throw failure(
          "%s has the shape %s and must have %s"
              .formatted(name, Arrays.toString(tensor.layout().shape()), Arrays.toString(wanted)));
    }
  }

  /** Returns the layout of an operand in the shape of the result. */
  Layout broadcast(String name, DeviceTensor operand, Layout result) {
    if (operand.layout().hasShapeOf(result)) {
      return operand.layout();
    }
    try {
      return operand.layout().broadcastTo(result.shape());
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

  IllegalArgumentException failure(String what) {
    return new IllegalArgumentException(operation + ": " + what);
  }
}
