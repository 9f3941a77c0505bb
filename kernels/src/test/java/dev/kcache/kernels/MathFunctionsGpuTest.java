// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The functions of {@code device_math.h} give on this machine's own GPU the bits of a host. */
class MathFunctionsGpuTest extends GpuTestBase {
  @ParameterizedTest
  @MethodSource("dev.kcache.kernels.MathFunction#all")
  void function_givesTheBitsOfAHost(MathFunction function, DType type) {
    ByteBuffer arguments = MathArguments.of(function, type);
    long count = arguments.capacity() / type.bytes() / function.arity();
    ByteBuffer results =
        ByteBuffer.allocateDirect((int) count * type.bytes()).order(ByteOrder.nativeOrder());
    HipFunction kernel = kernels.kernel(ShippedFiles.deviceMath(), function.kernel(type));
    try (DeviceBuffer in = device.allocate(arguments.capacity());
        DeviceBuffer out = device.allocate(results.capacity())) {
      in.copyFrom(arguments);
      kernel.launch(LaunchConfig.covering(count, 256), stream, KernelArguments.of(count, in, out));
      stream.synchronize();
      out.copyTo(results);
    }

    assertThat(MathArguments.digest(results, type)).isEqualTo(function.digest(type));
  }
}
