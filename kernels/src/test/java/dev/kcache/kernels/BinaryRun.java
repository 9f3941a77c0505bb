// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A launch of a shipped kernel on a device, whose whole result is compared with Java's. It lies
 * between bytes that have to stay as they are.
 *
 * @param kernel what to launch
 * @param shape how its operands pair up, one by one for a contiguous kernel
 * @param left operand
 * @param right operand
 * @param shift how many elements the result is off an address that packs start at
 * @param config how to launch
 */
record BinaryRun(
    BinaryKernel kernel,
    StridedShape shape,
    Operand left,
    Operand right,
    int shift,
    LaunchConfig config) {
  private static final KernelCatalog CATALOG = KernelCatalog.load();

  /** Before and after the result, in bytes. */
  private static final int MARGIN = 32;

  private static final byte UNTOUCHED = 0x5a;

  /** Describes a launch of fewer threads than there are elements, if there are many. */
  static BinaryRun of(BinaryKernel kernel, StridedShape shape, Operand left, Operand right) {
    LaunchConfig config =
        shape.count() < 1 << 20 ? LaunchConfig.of(3, 64) : LaunchConfig.of(1024, 256);
    return new BinaryRun(kernel, shape, left, right, 0, config);
  }

  BinaryRun shifted(int elements) {
    return new BinaryRun(kernel, shape, left, right, elements, config);
  }

  BinaryRun on(LaunchConfig other) {
    return new BinaryRun(kernel, shape, left, right, shift, other);
  }

  /** Runs it, and fails unless each element is as Java computes it and nothing else was written. */
  void check(KernelManager manager) {
    DType type = kernel.type();
    int start = MARGIN + shift * type.bytes();
    int end = start + count() * type.bytes();
    byte[] memory = launch(manager, start, end + MARGIN);

    compare(Elements.in(type, Arrays.copyOfRange(memory, start, end)));
    assertThat(Arrays.copyOf(memory, start)).as("before %s", this).containsOnly(UNTOUCHED);
    assertThat(Arrays.copyOfRange(memory, end, memory.length))
        .as("behind %s", this)
        .containsOnly(UNTOUCHED);
  }

  /** Returns the memory with the result, which begins at a byte. */
  private byte[] launch(KernelManager manager, int start, int size) {
    HipDevice device = manager.device();
    byte[] lefts = left.bytes();
    byte[] rights = right.bytes();
    byte[] memory = new byte[size];
    try (DeviceBuffer a = device.allocate(lefts.length);
        DeviceBuffer b = device.allocate(rights.length);
        DeviceBuffer out = device.allocate(size);
        HipStream stream = device.createStream()) {
      a.copyFrom(lefts);
      b.copyFrom(rights);
      out.fill(UNTOUCHED);
      Object pairs =
          kernel.layout() == OperandLayout.CONTIGUOUS ? (Object) shape.count() : shape.argument();
      manager
          .kernel(CATALOG.sourceOf(kernel.name()).orElseThrow(), kernel.name())
          .launch(
              config,
              stream,
              KernelArguments.of(
                  pairs, left.argument(a), right.argument(b), out.slice(start, size - start)));
      stream.synchronize();
      out.copyTo(memory);
    }
    return memory;
  }

  private int count() {
    return Math.toIntExact(shape.count());
  }

  private void compare(Elements results) {
    Arithmetic arithmetic = Arithmetic.of(kernel.type());
    IntStream.range(0, count())
        .parallel()
        .filter(i -> arithmetic.specified(results.get(i)) != reference(arithmetic, i))
        .findFirst()
        .ifPresent(i -> fail(i, results.get(i), reference(arithmetic, i)));
  }

  private long reference(Arithmetic arithmetic, int index) {
    return arithmetic.apply(kernel.operation(), leftOf(index), rightOf(index));
  }

  private long leftOf(int index) {
    return left.at(shape.offset(shape.left(), index));
  }

  private long rightOf(int index) {
    return right.at(shape.offset(shape.right(), index));
  }

  private void fail(int index, long actual, long expected) {
    throw new AssertionError(
        "element %d is %#x and must be %#x, from %#x and %#x: %s"
            .formatted(index, actual, expected, leftOf(index), rightOf(index), this));
  }

  @Override
  public String toString() {
    return "%s of %s, the result off by %d, in %d blocks of %d threads"
        .formatted(kernel.name(), shape, shift, config.gridDims().x(), config.blockDims().x());
  }
}
