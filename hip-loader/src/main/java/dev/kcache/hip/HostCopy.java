// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.HipLibrary;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * Copies between the host's memory and a device's that are done when the call returns. Memory
 * outside of the Java heap is copied as it is; memory on it through a chunk of {@link Staging}, so
 * that there is never a second copy of the whole. The chunk of a copy that failed is not used
 * again: nobody knows whether the device is done with it.
 */
final class HostCopy {
  private HostCopy() {}

  static void toDevice(DeviceContext context, HostMemory source, long address) {
    if (source.isDirect()) {
      try {
        toDevice(context, source.address(), address, source.bytes());
        settle(context);
      } finally {
        Reference.reachabilityFence(source.buffer());
      }
    } else {
      ByteBuffer chunk = context.staging().take();
      long from = HipLibrary.address(chunk);
      for (long done = 0; done < source.bytes(); done += Staging.CHUNK) {
        int count = (int) Math.min(Staging.CHUNK, source.bytes() - done);
        source.read(done, count, chunk);
        toDevice(context, from, address + done, count);
      }
      settle(context);
      context.staging().give(chunk);
    }
  }

  /**
   * Waits until the device has what was copied to it. CUDA's driver returns when it has read the
   * host's memory, if that is not pinned, and streams that do not wait for the default one would
   * not wait for the rest: <a
   * href="https://docs.nvidia.com/cuda/cuda-driver-api/api-sync-behavior.html">API synchronization
   * behavior</a>.
   */
  private static void settle(DeviceContext context) {
    if (context.library().platform() == Platform.NVIDIA) {
      context.call("hipStreamSynchronize", hip -> hip.hipStreamSynchronize(0));
    }
  }

  static void fromDevice(DeviceContext context, long address, HostMemory target) {
    if (target.isDirect()) {
      try {
        fromDevice(context, address, target.address(), target.bytes());
      } finally {
        Reference.reachabilityFence(target.buffer());
      }
    } else {
      ByteBuffer chunk = context.staging().take();
      long to = HipLibrary.address(chunk);
      for (long done = 0; done < target.bytes(); done += Staging.CHUNK) {
        int count = (int) Math.min(Staging.CHUNK, target.bytes() - done);
        fromDevice(context, address + done, to, count);
        target.write(done, count, chunk);
      }
      context.staging().give(chunk);
    }
  }

  private static void toDevice(DeviceContext context, long from, long to, long bytes) {
    context.call("hipMemcpyHtoD", hip -> hip.hipMemcpyHtoD(to, from, bytes));
  }

  private static void fromDevice(DeviceContext context, long from, long to, long bytes) {
    context.call("hipMemcpyDtoH", hip -> hip.hipMemcpyDtoH(to, from, bytes));
  }
}
