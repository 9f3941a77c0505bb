// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipStream;
import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * What tests of {@link Operations} share: tensors on a GPU, or on a stand-in that runs the shipped
 * sources on the host, and a look at all of the memory around a result.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class OperationsContract {
  /** The cache of all classes and processes of tests, so that each unit is compiled once. */
  private static final Path CACHE = Path.of("target", "operations-cache").toAbsolutePath();

  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private TestGpu gpu;
  private KernelManager manager;
  Operations operations;
  HipStream stream;

  /** Returns where to run; may skip the test. */
  abstract TestGpu gpu();

  /** Returns the units that the tests use on a stand-in, where each costs two seconds at first. */
  abstract List<KernelUnit> units();

  @BeforeAll
  void open() throws Exception {
    gpu = gpu();
    gpu.reset();
    gpu.run(units());
    manager = KernelManager.builder().environment(environment()).build();
    operations = Operations.on(manager);
    stream = manager.device().createStream();
    compileAll();
  }

  /** Returns the environment of a manager with this GPU and the tests' cache. */
  Map<String, String> environment() {
    return gpu.environment(CACHE);
  }

  /** Starts to compile all units that the tests use, so that none waits for the others. */
  private void compileAll() {
    Set<Family> families = units().stream().map(KernelUnit::family).collect(Collectors.toSet());
    for (KernelUnit unit : gpu.isReal() ? KernelCatalog.load(families).units() : units()) {
      var unused = manager.getOrCompileAsync(unit.source());
    }
  }

  @AfterEach
  void closeBuffers() {
    stream.synchronize();
    buffers.forEach(DeviceBuffer::close);
    buffers.clear();
  }

  @AfterAll
  void close() {
    if (manager != null) {
      stream.close();
      manager.close();
      gpu.checkNothingIsLeft();
    }
  }

  /** Returns whether kernels run on a GPU, so that tests can be of more elements and types. */
  boolean isRealGpu() {
    return gpu.isReal();
  }

  /** Returns the manager that the operations use. */
  KernelManager manager() {
    return manager;
  }

  /** Returns device memory that is freed after the test. */
  DeviceBuffer allocate(long bytes) {
    DeviceBuffer buffer = manager.device().allocate(bytes);
    buffers.add(buffer);
    return buffer;
  }

  /** Returns a contiguous tensor whose elements have the bits that are given for their index. */
  DeviceTensor tensor(DType type, LongUnaryOperator bits, long... shape) {
    return tensor(type, bits, Layout.of(shape));
  }

  /** Returns a tensor of a layout; the bits are given for each place of the memory. */
  DeviceTensor tensor(DType type, LongUnaryOperator bits, Layout layout) {
    int places = layout.count() == 0 ? 0 : Math.toIntExact(layout.last() + 1);
    DeviceBuffer buffer = allocate((long) places * type.bytes());
    buffer.copyFrom(Elements.bytes(type, places, bits));
    return new DeviceTensor(buffer, type, layout);
  }

  /** Returns a contiguous tensor of numbers, rounded to the type. */
  DeviceTensor numbers(DType type, double[] values, long... shape) {
    return tensor(type, i -> bits(type, values[(int) i]), shape);
  }

  /** Returns the bits of a number in a type. */
  static long bits(DType type, double value) {
    return Arithmetic.of(type) instanceof FloatingPoint format
        ? format.encode(value)
        : (long) value & -1L >>> (64 - 8 * type.bytes());
  }

  /** Returns contiguous memory for a result. */
  ResultTensor result(DType type, long... shape) {
    return ResultTensor.allocate(this::allocate, type, 0, shape);
  }

  /** Returns memory for a result, one element off an address that packs start at. */
  ResultTensor shiftedResult(DType type, long... shape) {
    return ResultTensor.allocate(this::allocate, type, 1, shape);
  }

  /** Waits for the stream, and returns the bits of a result's elements. */
  long[] bits(ResultTensor result) {
    stream.synchronize();
    return result.bits();
  }

  /** Waits for the stream, and returns a result's elements as numbers. */
  double[] numbers(ResultTensor result) {
    DType type = result.tensor().type();
    return Arrays.stream(bits(result)).mapToDouble(bits -> number(type, bits)).toArray();
  }

  /** Returns the number that an element's bits stand for. */
  static double number(DType type, long bits) {
    if (Arithmetic.of(type) instanceof FloatingPoint format) {
      return format.decode(bits);
    }
    int spare = 64 - 8 * type.bytes();
    boolean signed = type == DType.I32 || type == DType.I64;
    return signed ? bits << spare >> spare : bits;
  }
}
