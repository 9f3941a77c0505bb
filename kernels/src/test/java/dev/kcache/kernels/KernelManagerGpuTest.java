// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.HipRuntime;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** On this machine's own GPU. */
@Tag("gpu")
@ParameterizedClass
@MethodSource("images")
class KernelManagerGpuTest extends KernelManagerContract {
  KernelManagerGpuTest(Image image) {
    super(image);
  }

  static Stream<Image> images() {
    HipRuntime hip = HipRuntime.find();
    boolean nvidia = hip.isAvailable() && hip.platform() == Platform.NVIDIA;
    return nvidia ? Stream.of(Image.values()) : Stream.of(Image.OWN);
  }

  @Override
  TestGpu gpu() {
    return TestGpu.ofThisMachine();
  }
}
