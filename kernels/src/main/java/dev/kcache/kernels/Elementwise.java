// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Launches the kernels that compute each element by itself. */
final class Elementwise {
  private static final int PLAIN = 0;
  private static final int STRIDED = 1;
  private static final int BLOCK_SIZE = 256;

  /** As many elements as a strided kernel computes at once, at most. */
  private static final int STRIDED_PACK = 4;

  private static final List<String> PAIR = List.of("left", "right");
  private static final List<String> CHOICE = List.of("condition", "left", "right");
  private static final List<String> ONE = List.of("x");
  private static final double[] NO_SCALARS = {};

  private final KernelManager kernels;
  private final FunctionTable binary;
  private final FunctionTable compare;
  private final FunctionTable where;
  private final Map<Family, FunctionTable> unary = new EnumMap<>(Family.class);
  private final FunctionTable pow;
  private final FunctionTable cast;
  private final FunctionTable saturate;
  private final FunctionTable affine;

  Elementwise(KernelManager kernels) {
    this.kernels = kernels;
    binary = table(Family.BINARY, BinaryOperation.values());
    compare = table(Family.COMPARE, Comparison.values());
    where = table(Family.WHERE, new Object[0]);
    for (UnaryOperation operation : UnaryOperation.values()) {
      unary.computeIfAbsent(operation.family(), family -> table(family, UnaryOperation.values()));
    }
    pow = table(Family.TRANSCENDENTAL, new Object[] {"pow"});
    Object[] types = Stream.of(DType.values()).map(type -> "to_" + type).toArray();
    cast = table(Family.CAST, types);
    saturate = table(Family.SATURATE, types);
    affine = table(Family.AFFINE, new Object[0]);
  }

  private FunctionTable table(Family family, Object[] operations) {
    List<String> stems =
        operations.length == 0
            ? List.of(family.toString())
            : Stream.of(operations).map(operation -> family + "_" + operation).toList();
    return new FunctionTable(kernels, family, stems, List.of("", "_strided"));
  }

  @SuppressWarnings("EnumOrdinal") // The table has the operations in their order.
  void binary(
      BinaryOperation operation,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    Checks checks = new Checks(operation.toString(), kernels.device());
    checks.type("right", right, left.type());
    checks.type("out", out, left.type());
    launch(
        binary,
        operation.ordinal(),
        left.type(),
        checks,
        PAIR,
        stream,
        out,
        NO_SCALARS,
        left,
        right);
  }

  @SuppressWarnings("EnumOrdinal") // The table has the operations in their order.
  void compare(
      Comparison operation,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    Checks checks = new Checks(operation.toString(), kernels.device());
    checks.type("right", right, left.type());
    checks.type("out", out, DType.U8);
    launch(
        compare,
        operation.ordinal(),
        left.type(),
        checks,
        PAIR,
        stream,
        out,
        NO_SCALARS,
        left,
        right);
  }

  void where(
      DeviceTensor condition,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    Checks checks = new Checks("where", kernels.device());
    checks.type("condition", condition, DType.U8);
    checks.type("right", right, left.type());
    checks.type("out", out, left.type());
    launch(where, 0, left.type(), checks, CHOICE, stream, out, NO_SCALARS, condition, left, right);
  }

  @SuppressWarnings("EnumOrdinal") // The table has the operations in their order.
  void unary(UnaryOperation operation, DeviceTensor x, DeviceTensor out, HipStream stream) {
    Checks checks = new Checks(operation.toString(), kernels.device());
    if (!operation.supports(x.type())) {
      throw checks.failure("x is " + x.type() + " and must be a type of floating point");
    }
    checks.type("out", out, x.type());
    FunctionTable table = requireNonNull(unary.get(operation.family()));
    launch(table, operation.ordinal(), x.type(), checks, ONE, stream, out, NO_SCALARS, x);
  }

  void pow(DeviceTensor x, double exponent, DeviceTensor out, HipStream stream) {
    Checks checks = new Checks("pow", kernels.device());
    if (!x.type().isFloatingPoint()) {
      throw checks.failure("x is " + x.type() + " and must be a type of floating point");
    }
    checks.type("out", out, x.type());
    launch(pow, 0, x.type(), checks, ONE, stream, out, new double[] {exponent}, x);
  }

  @SuppressWarnings("EnumOrdinal") // The table has the types in their order.
  void cast(DeviceTensor x, DeviceTensor out, Overflow overflow, HipStream stream) {
    Checks checks = new Checks("cast", kernels.device());
    boolean saturates =
        overflow == Overflow.SATURATE && !out.type().isFloatingPoint() && x.type() != DType.U8;
    FunctionTable table = saturates ? saturate : cast;
    launch(table, out.type().ordinal(), x.type(), checks, ONE, stream, out, NO_SCALARS, x);
  }

  void affine(DeviceTensor x, double scale, double shift, DeviceTensor out, HipStream stream) {
    Checks checks = new Checks("affine", kernels.device());
    if (x.type().isFloatingPoint()) {
      affine(checks, x, new double[] {scale, shift}, out, stream);
    } else {
      affine(x, Scalars.whole(checks, scale), Scalars.whole(checks, shift), out, stream);
    }
  }

  void affine(DeviceTensor x, long scale, long shift, DeviceTensor out, HipStream stream) {
    if (x.type().isFloatingPoint()) {
      affine(x, (double) scale, (double) shift, out, stream);
    } else {
      // Kernels of integers take 64 bits for 64 bits.
      double[] bits = {Double.longBitsToDouble(scale), Double.longBitsToDouble(shift)};
      affine(new Checks("affine", kernels.device()), x, bits, out, stream);
    }
  }

  private void affine(
      Checks checks, DeviceTensor x, double[] scalars, DeviceTensor out, HipStream stream) {
    checks.type("out", out, x.type());
    launch(affine, 0, x.type(), checks, ONE, stream, out, scalars, x);
  }

  /**
   * Launches a kernel whose parameters are the count or the walk, the operands, the result, and
   * numbers as {@code double}.
   *
   * @param table the family's kernels
   * @param stem which of them
   * @param type whose unit has it
   * @param names of the operands, in messages
   */
  private static void launch(
      FunctionTable table,
      int stem,
      DType type,
      Checks checks,
      List<String> names,
      HipStream stream,
      DeviceTensor out,
      double[] scalars,
      DeviceTensor... operands) {
    checks.onDevice("out", out);
    checks.contiguous("out", out);
    boolean plain = true;
    int largest = out.type().bytes();
    for (int i = 0; i < operands.length; i++) {
      DeviceTensor operand = operands[i];
      checks.onDevice(names.get(i), operand);
      checks.apart(names.get(i), operand, out);
      plain &= operand.layout().isContiguous() && operand.layout().hasShapeOf(out.layout());
      largest = Math.max(largest, operand.type().bytes());
    }
    // As elementwise.h has it.
    int pack = 16 / largest;
    KernelArguments arguments;
    LoadedKernel kernel = table.get(stem, type)[plain ? PLAIN : STRIDED];
    int parameters = operands.length + 2 + scalars.length;
    if (plain) {
      arguments = kernel.arguments(parameters).set(0, out.layout().count());
    } else {
      Layout[] layouts = new Layout[operands.length];
      for (int i = 0; i < operands.length; i++) {
        layouts[i] = checks.broadcast(names.get(i), operands[i], out.layout());
      }
      arguments = kernel.arguments(parameters).set(0, new Walk(layouts).argument());
      pack = Math.min(pack, STRIDED_PACK);
    }
    int next = 1;
    for (DeviceTensor operand : operands) {
      arguments.set(next++, operand.start());
    }
    arguments.set(next++, out.start());
    for (double scalar : scalars) {
      arguments.set(next++, scalar);
    }
    kernel.launch(out.layout().count() / pack + 1, BLOCK_SIZE, stream, arguments);
  }
}
