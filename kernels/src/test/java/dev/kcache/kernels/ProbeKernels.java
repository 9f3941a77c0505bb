// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;

/** A source whose kernels a stand-in computes too, and what they have to give. */
final class ProbeKernels {
  static final KernelSource SOURCE =
      KernelSource.of(
          "probe.hip",
          """
          #include <hip/hip_runtime.h>

          extern "C" __global__ void vadd(const float* a, const float* b, float* out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = a[i] + b[i];
          }

          extern "C" __global__ void scale(float* x, double by, long long n) {
            long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] = (float)(x[i] * by);
          }

          extern "C" __global__ void fault(long long address) { *(volatile int*)address = 1; }
          """);

  /** A template, of which a stand-in computes two instances. */
  static final KernelSource TEMPLATE =
      KernelSource.of(
          "times.hip",
          """
          #include <hip/hip_runtime.h>

          template <class T, int N>
          __global__ void times(T* x, long long n) {
            long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] *= N;
          }
          """);

  private ProbeKernels() {}

  static DeviceBuffer ramp(HipDevice device, int count, float first) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = first + i;
    }
    DeviceBuffer buffer = device.allocate(4L * count);
    buffer.copyFrom(values);
    return buffer;
  }

  /** Asks for {@code sum[i] = 2 * x[i]}. */
  static void twice(HipFunction vadd, HipStream stream, DeviceBuffer x, DeviceBuffer sum) {
    int count = (int) (x.size() / 4);
    vadd.launch(LaunchConfig.covering(count, 128), stream, KernelArguments.of(x, x, sum, count));
  }

  /** Returns whether a buffer has what a ramp has, each so many times. */
  static boolean isRamp(DeviceBuffer buffer, float first, float times) {
    float[] values = new float[(int) (buffer.size() / 4)];
    buffer.copyTo(values);
    for (int i = 0; i < values.length; i++) {
      if (values[i] != times * (first + i)) {
        return false;
      }
    }
    return true;
  }

  /** Computes something, and returns whether that is right. */
  static boolean compute(KernelManager kernels) {
    HipDevice device = kernels.device();
    HipFunction vadd = kernels.kernel(SOURCE, "vadd");
    try (DeviceBuffer x = ramp(device, 100_003, 1);
        DeviceBuffer sum = device.allocate(x.size());
        HipStream stream = device.createStream()) {
      twice(vadd, stream, x, sum);
      stream.synchronize();
      return isRamp(sum, 1, 2);
    }
  }
}
