// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import java.util.List;

/**
 * The operations of the shipped kernels on tensors. Each checks its tensors, chooses a kernel by
 * their types and layouts, and asks a stream for its launch; it does not wait for the result.
 *
 * <pre>{@code
 * Operations operations = Operations.on(kernels);
 * DeviceTensor rows = DeviceTensor.of(x, DType.F32, 1024, 512);
 * DeviceTensor bias = DeviceTensor.of(y, DType.F32, 512);
 * operations.add(rows, bias, rows, stream); // bias is repeated for each row
 * }</pre>
 *
 * <p><b>Shapes.</b> Operands broadcast to the shape of the result: missing outer dimensions and
 * extents of 1 are repeated. The result is contiguous, unless a method says otherwise. It may be an
 * operand itself, if that has the same layout; it may not overlap one otherwise. Tensors may be
 * empty.
 *
 * <p><b>Cost.</b> The first use of an operation with a type gets its kernel from the cache, which
 * compiles it if need be. When a thread has launched it and the JIT compiled that, launches of the
 * last sizes allocate nothing on the heap, but for {@link #concat} and {@linkplain
 * Reductions#reduce reductions} in parts.
 *
 * <p><b>Errors.</b> All methods throw {@link IllegalArgumentException}, before anything is
 * launched, if the tensors' types, shapes or devices do not fit or the stream is of another device;
 * {@link IllegalStateException} if a buffer, the stream or the manager is closed; and what {@link
 * KernelManager#getOrCompile(dev.kcache.cache.KernelSource)} throws.
 *
 * <p>Safe for use by any number of threads. It has nothing to close: what is loaded belongs to the
 * manager.
 */
public final class Operations {
  private final KernelManager kernels;
  private final Elementwise elementwise;
  private final Indexing indexing;
  private final Rope rope;
  private final Argsort argsort;
  private final Quantized quantized;
  private final Reductions reductions;
  private final Rows rows;
  private final Copies copies;
  private final Images images;

  private Operations(KernelManager kernels) {
    this.kernels = kernels;
    @SuppressWarnings("ThreadLocalUsage") // It goes with the operations.
    ThreadLocal<Scratch> scratch = ThreadLocal.withInitial(Scratch::new);
    elementwise = new Elementwise(kernels, scratch);
    indexing = new Indexing(kernels, scratch);
    rope = new Rope(kernels, scratch);
    argsort = new Argsort(kernels);
    quantized = new Quantized(kernels);
    reductions = new Reductions(kernels, scratch);
    rows = new Rows(kernels, scratch);
    copies = new Copies(kernels, scratch);
    images = new Images(kernels, scratch);
  }

  /**
   * {@return the operations on a manager's device} Loads and compiles nothing. Every call returns a
   * new object, so keep one.
   *
   * @param kernels where kernels come from
   */
  public static Operations on(KernelManager kernels) {
    return new Operations(requireNonNull(kernels, "kernels"));
  }

  /**
   * Computes {@code out = left operation right}.
   *
   * @param operation what to compute
   * @param left of any type
   * @param right of the same type
   * @param out of the same type
   * @param stream where to launch
   */
  public void binary(
      BinaryOperation operation,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    requireNonNull(operation, "operation");
    Checks.requirePair(left, right, out, stream);
    elementwise.binary(operation, left, right, out, stream);
  }

  /**
   * Computes {@code out = left + right}.
   *
   * @param left of any type
   * @param right of the same type
   * @param out of the same type
   * @param stream where to launch
   */
  public void add(DeviceTensor left, DeviceTensor right, DeviceTensor out, HipStream stream) {
    binary(BinaryOperation.ADD, left, right, out, stream);
  }

  /**
   * Computes {@code out = left - right}.
   *
   * @param left of any type
   * @param right of the same type
   * @param out of the same type
   * @param stream where to launch
   */
  public void sub(DeviceTensor left, DeviceTensor right, DeviceTensor out, HipStream stream) {
    binary(BinaryOperation.SUB, left, right, out, stream);
  }

  /**
   * Computes {@code out = left * right}, element by element.
   *
   * @param left of any type
   * @param right of the same type
   * @param out of the same type
   * @param stream where to launch
   */
  public void mul(DeviceTensor left, DeviceTensor right, DeviceTensor out, HipStream stream) {
    binary(BinaryOperation.MUL, left, right, out, stream);
  }

  /**
   * Computes {@code out = left / right}, element by element.
   *
   * @param left of any type
   * @param right of the same type
   * @param out of the same type
   * @param stream where to launch
   */
  public void div(DeviceTensor left, DeviceTensor right, DeviceTensor out, HipStream stream) {
    binary(BinaryOperation.DIV, left, right, out, stream);
  }

  /**
   * Computes {@code out = left operation right ? 1 : 0}.
   *
   * @param operation what to compute
   * @param left of any type
   * @param right of the same type
   * @param out of {@link DType#U8}
   * @param stream where to launch
   */
  public void compare(
      Comparison operation,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    requireNonNull(operation, "operation");
    Checks.requirePair(left, right, out, stream);
    elementwise.compare(operation, left, right, out, stream);
  }

  /**
   * Computes {@code out = condition != 0 ? left : right}.
   *
   * @param condition of {@link DType#U8}
   * @param left of any type
   * @param right of the same type
   * @param out of the same type
   * @param stream where to launch
   */
  public void where(
      DeviceTensor condition,
      DeviceTensor left,
      DeviceTensor right,
      DeviceTensor out,
      HipStream stream) {
    requireNonNull(condition, "condition");
    Checks.requirePair(left, right, out, stream);
    elementwise.where(condition, left, right, out, stream);
  }

  /**
   * Computes {@code out = x} in another type. Numbers are rounded once: to a type with fractions to
   * the nearest, ties to even, where what is beyond its largest number becomes infinity; to an
   * integer type toward zero.
   *
   * @param x of any type
   * @param out of any type; of the type of {@code x}, it gets the same bits
   * @param overflow what becomes of numbers that an integer type does not hold
   * @param stream where to launch
   */
  public void cast(DeviceTensor x, DeviceTensor out, Overflow overflow, HipStream stream) {
    Checks.requireOne(x, out, stream);
    elementwise.cast(x, out, requireNonNull(overflow, "overflow"), stream);
  }

  /**
   * Computes {@code out = x * scale + shift}. For types with fractions, scale and shift are rounded
   * to the type that is computed in, F64 for F64 and F32 for the others, where the product and the
   * sum are rounded together, once. For integers, scale and shift have to be whole numbers, and
   * results wrap.
   *
   * @param x of any type
   * @param scale by which elements are multiplied
   * @param shift what is added to the product
   * @param out of the same type
   * @param stream where to launch
   */
  public void affine(
      DeviceTensor x, double scale, double shift, DeviceTensor out, HipStream stream) {
    Checks.requireOne(x, out, stream);
    elementwise.affine(x, scale, shift, out, stream);
  }

  /**
   * Computes {@code out = x * scale + shift}, as the other method of this name does, but with all
   * 64 bits of the numbers for integers.
   *
   * @param x of any type
   * @param scale by which elements are multiplied
   * @param shift what is added to the product
   * @param out of the same type
   * @param stream where to launch
   */
  public void affine(DeviceTensor x, long scale, long shift, DeviceTensor out, HipStream stream) {
    Checks.requireOne(x, out, stream);
    elementwise.affine(x, scale, shift, out, stream);
  }

  /**
   * Sets each element to a number, rounded once to the nearest, ties to even.
   *
   * @param out of any type, and not necessarily contiguous, but each of its strides must be longer
   *     than the way through all dimensions with shorter ones, so that no place is met twice
   * @param value for an integer type, a whole number that the type holds
   * @param stream where to launch
   */
  public void fill(DeviceTensor out, double value, HipStream stream) {
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    copies.fill(out, value, stream);
  }

  /**
   * Sets each element to a whole number; for a type with fractions, rounded once to the nearest,
   * ties to even.
   *
   * @param out of any type, and not necessarily contiguous, but each of its strides must be longer
   *     than the way through all dimensions with shorter ones, so that no place is met twice
   * @param value for an integer type, one that the type holds
   * @param stream where to launch
   */
  public void fill(DeviceTensor out, long value, HipStream stream) {
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    copies.fill(out, value, stream);
  }

  /**
   * Copies the bits of elements. A transposition goes through the GPU's local memory, so that both
   * sides are met in their order.
   *
   * @param x of any type, which broadcasts to the shape of {@code out}
   * @param out of the same type; its strides as those of {@link #fill(DeviceTensor, long,
   *     HipStream)}
   * @param stream where to launch
   */
  public void copy(DeviceTensor x, DeviceTensor out, HipStream stream) {
    Checks.requireOne(x, out, stream);
    copies.copy(x, out, stream);
  }

  /**
   * Copies tensors one behind the other along a dimension, with a launch for each.
   *
   * @param parts at least one, which differ in the extent of that dimension only
   * @param axis the dimension, from 0
   * @param out of the same type, where that dimension is as long as those of the parts together;
   *     its strides as those of {@link #fill(DeviceTensor, long, HipStream)}. A part may be its own
   *     place in it, and may not overlap it otherwise.
   * @param stream where to launch
   */
  public void concat(List<DeviceTensor> parts, int axis, DeviceTensor out, HipStream stream) {
    requireNonNull(parts, "parts");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    copies.concat(parts, axis, out, stream);
  }

  /** {@return the operations on images} */
  public Images images() {
    return images;
  }

  /** {@return the operations along axes, always the same object} */
  public Reductions reductions() {
    return reductions;
  }

  /** {@return the operations on rows, always the same object} */
  public Rows rows() {
    return rows;
  }

  /**
   * Turns the pairs of each row of x by angles, for rotary position embedding: {@code (a, b)}
   * becomes {@code (a cos - b sin, a sin + b cos)}.
   *
   * @param pairs which elements of a row are one
   * @param x of F32, F64, F16 or BF16 and contiguous, such as {@code [batch, heads, positions, d]}
   * @param cos of the same type; broadcasts to x's shape with half as many elements in a row, as
   *     {@code [positions, d / 2]} does
   * @param sin of the same type; broadcasts as {@code cos} does
   * @param out of x's type and shape; it may be x
   * @param stream where to launch
   */
  public void rope(
      RotaryPairs pairs,
      DeviceTensor x,
      DeviceTensor cos,
      DeviceTensor sin,
      DeviceTensor out,
      HipStream stream) {
    requireNonNull(pairs, "pairs");
    requireNonNull(cos, "cos");
    requireNonNull(sin, "sin");
    Checks.requireOne(x, out, stream);
    rope.rope(pairs, x, cos, sin, out, stream);
  }

  /**
   * Finds the order of the elements along the last axis: {@code out[.., i]} is the place of the
   * element that comes {@code i}-th. Equal elements keep their order in both directions; -0 equals
   * +0, and a NaN counts as greater than all others.
   *
   * @param order which element comes first
   * @param x of any type, contiguous, with rows of at most 2<sup>31</sup> - 1 elements
   * @param out of {@link DType#I64} and x's shape
   * @param stream where to launch
   */
  public void argsort(SortOrder order, DeviceTensor x, DeviceTensor out, HipStream stream) {
    requireNonNull(order, "order");
    Checks.requireOne(x, out, stream);
    argsort.argsort(order, x, out, stream);
  }

  /** {@return the operations that take indices} */
  public Indexing indexing() {
    return indexing;
  }

  /**
   * Computes {@code out = operation(x)}.
   *
   * @param operation what to compute
   * @param x of a type that the operation supports
   * @param out of the same type
   * @param stream where to launch
   */
  public void unary(UnaryOperation operation, DeviceTensor x, DeviceTensor out, HipStream stream) {
    requireNonNull(operation, "operation");
    Checks.requireOne(x, out, stream);
    elementwise.unary(operation, x, out, stream);
  }

  /**
   * Computes {@code x} to the power of a number, less than one unit in the last place from exact.
   * Special cases are those of C's {@code pow}.
   *
   * @param x of a type of floating point
   * @param exponent is rounded to {@code float}, unless the type is {@link DType#F64}
   * @param out of the same type
   * @param stream where to launch
   */
  public void pow(DeviceTensor x, double exponent, DeviceTensor out, HipStream stream) {
    Checks.requireOne(x, out, stream);
    elementwise.pow(x, exponent, out, stream);
  }

  /**
   * Waits until a stream has done what it was asked for, and reports what kernels found wrong.
   *
   * <p>What is reported is of all operations of the same manager on this stream, launched before
   * this call and not reported yet. Other streams are left alone.
   *
   * @param stream a stream of the manager's device
   * @throws IndexOutOfBoundsException if an index was out of range; the message names the
   *     operation, one such index and the extent of the dimension
   * @throws dev.kcache.hip.HipException if the runtime fails, or work that was asked for before did
   */
  public void check(HipStream stream) {
    requireNonNull(stream, "stream");
    kernels.indexErrors().check(stream);
  }

  /** {@return the operations on quantized weights} */
  public Quantized quantized() {
    return quantized;
  }
}
