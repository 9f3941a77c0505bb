// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every shipped kernel on its whole way: compiled by the real compiler, loaded, given arguments,
 * launched on the stand-in, which computes from the raw argument block, and compared with Java.
 */
class CatalogueOnDeviceTest {
  private static final KernelCatalog CATALOG = KernelCatalog.load();

  /** Not a multiple of anything, and a last block that is not full. */
  private static final int ODD = 1013;

  @TempDir private static Path directory;
  private static StandIn standIn;
  private static KernelManager manager;

  @BeforeAll
  static void open() {
    standIn = StandIn.build(Version.HIP_6_4).devices(StandIn.DEFAULT_DEVICE);
    manager =
        KernelManager.builder()
            .environment(
                Map.of(
                    "PATH", System.getenv("PATH"),
                    "KCACHE_DIR", directory.toString(),
                    "KCACHE_HIP_LIBRARY", standIn.directory().toString()))
            .build();
  }

  @AfterAll
  static void close() {
    manager.close();
    assertThat(standIn.counters())
        .isEqualTo(StandIn.Counters.cleanAfter(standIn.counters().launches()));
  }

  static List<BinaryKernel> kernels() {
    return CATALOG.kernels();
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void kernel_onEveryPairOfAwkwardValues_givesTheReference(BinaryKernel kernel) {
    List<Long> values = AwkwardValues.of(kernel.type());
    int n = values.size();
    List<Long> lefts = new ArrayList<>();
    List<Long> rights = new ArrayList<>();
    for (long left : values) {
      for (long right : values) {
        lefts.add(left);
        rights.add(right);
      }
    }
    List<Long> results =
        kernel.layout() == OperandLayout.CONTIGUOUS
            ? launch(kernel, lefts, rights, n * n, (long) n * n)
            : launch(kernel, values, values, n * n, broadcast(n));

    Arithmetic arithmetic = Arithmetic.of(kernel.type());
    for (int i = 0; i < lefts.size(); i++) {
      long expected = arithmetic.apply(kernel.operation(), lefts.get(i), rights.get(i));
      assertThat(arithmetic.specified(results.get(i)))
          .as("%s(%#x, %#x)", kernel.name(), lefts.get(i), rights.get(i))
          .isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void kernel_onAnOddCount_computesEachElement(BinaryKernel kernel) {
    ElementType type = kernel.type();
    List<Long> left = Elements.numbers(type, ODD, i -> i % 7 + 1);
    List<Long> right = Elements.numbers(type, ODD, i -> i % 5 + 1);
    Object shape =
        kernel.layout() == OperandLayout.CONTIGUOUS
            ? (Object) (long) ODD
            : shape(List.of((long) ODD), List.of(1L), List.of(1L));

    List<Long> results = launch(kernel, left, right, ODD, shape);

    Arithmetic arithmetic = Arithmetic.of(type);
    for (int i = 0; i < ODD; i++) {
      assertThat(results.get(i))
          .as("%s, element %d", kernel.name(), i)
          .isEqualTo(arithmetic.apply(kernel.operation(), left.get(i), right.get(i)));
    }
  }

  private static List<Long> launch(
      BinaryKernel kernel, List<Long> left, List<Long> right, int count, Object shape) {
    ElementType type = kernel.type();
    HipDevice device = manager.device();
    byte[] results = new byte[count * type.bytes()];
    try (DeviceBuffer a = device.allocate((long) left.size() * type.bytes());
        DeviceBuffer b = device.allocate((long) right.size() * type.bytes());
        DeviceBuffer out = device.allocate(results.length);
        HipStream stream = device.createStream()) {
      a.copyFrom(Elements.bytes(type, left));
      b.copyFrom(Elements.bytes(type, right));
      manager
          .kernel(CATALOG.sourceOf(kernel.name()).orElseThrow(), kernel.name())
          .launch(LaunchConfig.of(3, 64), stream, KernelArguments.of(shape, a, b, out));
      stream.synchronize();
      out.copyTo(results);
    }
    return Elements.of(type, results);
  }

  /** Every element of the left operand with every one of the right. */
  private static byte[] broadcast(long n) {
    return shape(List.of(n, n), List.of(1L, 0L), List.of(0L, 1L));
  }

  /** The struct of a strided kernel: count, rank, and extents and strides for each dimension. */
  private static byte[] shape(List<Long> extents, List<Long> left, List<Long> right) {
    int fields = 2 + 3 * KernelCatalog.MAX_RANK;
    ByteBuffer shape = ByteBuffer.allocate(fields * Long.BYTES).order(ByteOrder.nativeOrder());
    shape.putLong(extents.stream().reduce(1L, Math::multiplyExact)).putLong(extents.size());
    int at = 2;
    for (List<Long> numbers : List.of(extents, left, right)) {
      for (int i = 0; i < numbers.size(); i++) {
        shape.putLong((at + i) * Long.BYTES, numbers.get(i));
      }
      at += KernelCatalog.MAX_RANK;
    }
    return shape.array();
  }
}
