// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Launches the kernels that compute each element by itself. */
final class Elementwise {
  private static final int PLAIN = 0;
  private static final int STRIDED = 1;
  private static final int BLOCK_SIZE = 256;

  /** As many elements as a strided kernel computes at once, at most. */
  private static final int STRIDED_PACK = 4;

  /** Families whose functions can be slower than memory. */
  private static final Set<Family> SLOW =
      Stream.of(UnaryOperation.values())
          .map(UnaryOperation::family)
          .filter(family -> family != Family.UNARY)
          .collect(Collectors.toUnmodifiableSet());

  /** As many packs as a thread of theirs computes, to share what it begins with. */
  private static final int PACKS_OF_SLOW_THREAD = 4;

  /** Twice as many as a compute unit holds. */
  private static final int THREADS_OF_COMPUTE_UNIT = 4096;

  /**
   * An operation: its kernels, and the checks that name it.
   *
   * @param enoughThreads for the device; beyond them, a thread may compute more than one pack
   */
  private record Operation(FunctionTable functions, Checks checks, long enoughThreads) {
    LoadedKernel kernel(DType type, boolean plain) {
      return functions.all(type)[plain ? PLAIN : STRIDED];
    }

    long threads(long packs) {
      return Math.max(packs / PACKS_OF_SLOW_THREAD, Math.min(packs, enoughThreads));
    }
  }

  private final KernelManager kernels;
  private final ThreadLocal<Scratch> scratch;
  private final Map<BinaryOperation, Operation> binary = new EnumMap<>(BinaryOperation.class);
  private final Map<Comparison, Operation> compare = new EnumMap<>(Comparison.class);
  private final Map<UnaryOperation, Operation> unary = new EnumMap<>(UnaryOperation.class);
  private final Map<DType, Operation> cast = new EnumMap<>(DType.class);
  private final Map<DType, Operation> saturate = new EnumMap<>(DType.class);
  private final Operation where;
  private final Operation pow;
  private final Operation affine;

  Elementwise(KernelManager kernels, ThreadLocal<Scratch> scratch) {
    this.kernels = kernels;
    this.scratch = scratch;
    for (BinaryOperation each : BinaryOperation.values()) {
      binary.put(each, operation(Family.BINARY, Family.BINARY + "_" + each, each.toString()));
    }
    for (Comparison each : Comparison.values()) {
      compare.put(each, operation(Family.COMPARE, Family.COMPARE + "_" + each, each.toString()));
    }
    for (UnaryOperation each : UnaryOperation.values()) {
      unary.put(each, operation(each.family(), each.family() + "_" + each, each.toString()));
    }
    for (DType each : DType.values()) {
      cast.put(each, operation(Family.CAST, "cast_to_" + each, "cast"));
      saturate.put(each, operation(Family.SATURATE, "saturate_to_" + each, "cast"));
    }
    where = operation(Family.WHERE, "where", "where");
    pow = operation(Family.TRANSCENDENTAL, "transcendental_pow", "pow");
    affine = operation(Family.AFFINE, "affine", "affine");
  }

  private Operation operation(Family family, String stem, String name) {
    long enoughThreads =
        SLOW.contains(family)
            ? (long) THREADS_OF_COMPUTE_UNIT * kernels.device().properties().computeUnits().count()
            : Long.MAX_VALUE;
    return new Operation(
        new FunctionTable(kernels, family, stem, "_strided"),
        new Checks(name, kernels.device()),
        enoughThreads);
  }

  void binary(
      BinaryOperation operation,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    pair(requireNonNull(binary.get(operation)), left, right, left.type(), out, stream);
  }

  void compare(
      Comparison operation,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    pair(requireNonNull(compare.get(operation)), left, right, DType.U8, out, stream);
  }

  private void pair(
      Operation operation,
      DeviceTensor left,
      DeviceTensor right,
      DType result,
      DeviceTensor out,
      HipStream stream) {
    Checks checks = operation.checks();
    checks.type("right", right, left.type());
    checkResult(checks, result, out);
    check(checks, "left", left, out);
    check(checks, "right", right, out);
    boolean plain = isPlain(left, out) && isPlain(right, out);
    LoadedKernel kernel = operation.kernel(left.type(), plain);
    KernelArguments arguments = kernel.arguments(4);
    if (!plain) {
      long[] shape = scratch.get().shapeOf(out.layout());
      checks.broadcast("left", left, shape);
      checks.broadcast("right", right, shape);
      walk(arguments, 2, shape, left.layout(), right.layout(), right.layout());
    }
    arguments.set(1, left.start()).set(2, right.start()).set(3, out.start());
    launch(operation, kernel, plain, left.type(), out, stream, arguments);
  }

  void where(
      DeviceTensor condition,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    Checks checks = where.checks();
    checks.type("condition", condition, DType.U8);
    checks.type("right", right, left.type());
    checkResult(checks, left.type(), out);
    check(checks, "condition", condition, out);
    check(checks, "left", left, out);
    check(checks, "right", right, out);
    boolean plain = isPlain(condition, out) && isPlain(left, out) && isPlain(right, out);
    LoadedKernel kernel = where.kernel(left.type(), plain);
    KernelArguments arguments = kernel.arguments(5);
    if (!plain) {
      long[] shape = scratch.get().shapeOf(out.layout());
      checks.broadcast("condition", condition, shape);
      checks.broadcast("left", left, shape);
      checks.broadcast("right", right, shape);
      walk(arguments, 3, shape, condition.layout(), left.layout(), right.layout());
    }
    arguments.set(1, condition.start()).set(2, left.start());
    arguments.set(3, right.start()).set(4, out.start());
    launch(where, kernel, plain, left.type(), out, stream, arguments);
  }

  void unary(UnaryOperation operation, DeviceTensor x, DeviceTensor out, HipStream stream) {
    Operation chosen = requireNonNull(unary.get(operation));
    if (!operation.supports(x.type())) {
      chosen.checks().floats("x", x);
    }
    one(chosen, x, x.type(), out, stream);
  }

  void pow(DeviceTensor x, double exponent, DeviceTensor out, HipStream stream) {
    pow.checks().floats("x", x);
    boolean plain = check(pow, x, x.type(), out);
    LoadedKernel kernel = pow.kernel(x.type(), plain);
    KernelArguments arguments = kernel.arguments(4).set(3, exponent);
    one(pow, kernel, plain, x, out, stream, arguments);
  }

  void cast(DeviceTensor x, DeviceTensor out, Overflow overflow, HipStream stream) {
    boolean saturates =
        overflow == Overflow.SATURATE && !out.type().isFloatingPoint() && x.type() != DType.U8;
    Operation chosen = requireNonNull((saturates ? saturate : cast).get(out.type()));
    one(chosen, x, out.type(), out, stream);
  }

  void affine(DeviceTensor x, double scale, double shift, DeviceTensor out, HipStream stream) {
    if (!x.type().isFloatingPoint()) {
      Checks checks = affine.checks();
      affine(x, Scalars.whole(checks, scale), Scalars.whole(checks, shift), out, stream);
      return;
    }
    boolean plain = check(affine, x, x.type(), out);
    LoadedKernel kernel = affine.kernel(x.type(), plain);
    KernelArguments arguments = kernel.arguments(5).set(3, scale).set(4, shift);
    one(affine, kernel, plain, x, out, stream, arguments);
  }

  void affine(DeviceTensor x, long scale, long shift, DeviceTensor out, HipStream stream) {
    if (x.type().isFloatingPoint()) {
      // Through double, a float would be rounded twice.
      boolean isDouble = x.type() == DType.F64;
      double floatScale = isDouble ? (double) scale : (float) scale;
      double floatShift = isDouble ? (double) shift : (float) shift;
      affine(x, floatScale, floatShift, out, stream);
      return;
    }
    boolean plain = check(affine, x, x.type(), out);
    LoadedKernel kernel = affine.kernel(x.type(), plain);
    KernelArguments arguments = kernel.arguments(5).set(3, scale).set(4, shift);
    one(affine, kernel, plain, x, out, stream, arguments);
  }

  /** Launches a kernel of one operand and the result. */
  private void one(
      Operation operation, DeviceTensor x, DType result, DeviceTensor out, HipStream stream) {
    boolean plain = check(operation, x, result, out);
    LoadedKernel kernel = operation.kernel(x.type(), plain);
    one(operation, kernel, plain, x, out, stream, kernel.arguments(3));
  }

  /** Returns whether both tensors are contiguous and of one shape. */
  private static boolean check(
      Operation operation, DeviceTensor x, DType result, DeviceTensor out) {
    checkResult(operation.checks(), result, out);
    check(operation.checks(), "x", x, out);
    return isPlain(x, out);
  }

  /**
   * Launches a kernel of one operand, the result and numbers.
   *
   * @param arguments has the numbers already
   */
  private void one(
      Operation operation,
      LoadedKernel kernel,
      boolean plain,
      DeviceTensor x,
      DeviceTensor out,
      HipStream stream,
      KernelArguments arguments) {
    if (!plain) {
      long[] shape = scratch.get().shapeOf(out.layout());
      operation.checks().broadcast("x", x, shape);
      walk(arguments, 1, shape, x.layout(), x.layout(), x.layout());
    }
    arguments.set(1, x.start()).set(2, out.start());
    launch(operation, kernel, plain, x.type(), out, stream, arguments);
  }

  private static void checkResult(Checks checks, DType type, DeviceTensor out) {
    checks.type("out", out, type);
    checks.onDevice("out", out);
    checks.contiguous("out", out);
  }

  private static void check(Checks checks, String name, DeviceTensor operand, DeviceTensor out) {
    checks.onDevice(name, operand);
    checks.apart(name, operand, out);
  }

  /** Returns whether an operand is contiguous and of the result's shape. */
  private static boolean isPlain(DeviceTensor operand, DeviceTensor out) {
    return operand.layout().isContiguous() && operand.layout().hasShapeOf(out.layout());
  }

  /** Sets the first argument to the walk through as many of the operands as there are. */
  private void walk(
      KernelArguments arguments,
      int operands,
      long[] shape,
      Layout first,
      Layout second,
      Layout third) {
    Walk walk = scratch.get().walk(operands);
    for (int d = 0; d < shape.length; d++) {
      walk.add(
          shape[d],
          first.strideIn(shape.length, d),
          second.strideIn(shape.length, d),
          third.strideIn(shape.length, d));
    }
    arguments.set(0, walk.merge().argument());
  }

  /**
   * Launches a kernel whose first parameter is the count or the walk.
   *
   * @param type of the operands, or of the largest of them
   * @param arguments of which a plain kernel lacks the count only
   */
  private static void launch(
      Operation operation,
      LoadedKernel kernel,
      boolean plain,
      DType type,
      DeviceTensor out,
      HipStream stream,
      KernelArguments arguments) {
    long count = out.layout().count();
    if (plain) {
      arguments.set(0, count);
    }
    // As elementwise.h has it.
    int pack = 16 / Math.max(type.bytes(), out.type().bytes());
    long packs = count / (plain ? pack : Math.min(pack, STRIDED_PACK)) + 1;
    kernel.launch(operation.threads(packs), BLOCK_SIZE, stream, arguments);
  }
}
