// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/** Allocates device memory, in the two ways of the runtime. */
final class Allocation {
  private Allocation() {}

  /** Allocates memory at once; frees it when the device is idle. */
  static DeviceBuffer on(HipDevice device, long size) {
    checkSize(size);
    DeviceContext context = device.context();
    long[] address = new long[1];
    if (size > 0) {
      context.call("hipMalloc", hip -> hip.hipMalloc(address, size));
    }
    Handle memory =
        Handle.of("device buffer", address[0], device.leaks(), value -> free(context, value));
    return new DeviceBuffer(device, memory, true, address[0], size);
  }

  private static void free(DeviceContext context, long address) {
    if (address != 0) {
      // hipFree of ROCm 5 waits for the default stream only.
      int unused = context.status(hip -> hip.hipDeviceSynchronize());
      context.call("hipFree", hip -> hip.hipFree(address));
    }
  }

  /** Allocates memory in the order of a stream, which stays open until it has freed it. */
  static DeviceBuffer inOrderOf(HipStream stream, long size) {
    checkSize(size);
    HipDevice device = stream.device();
    long queue = stream.handle().acquire();
    boolean held = false;
    try {
      if (size == 0 || !device.supportsStreamAllocation()) {
        return on(device, size);
      }
      long[] address = new long[1];
      device.context().call("hipMallocAsync", hip -> hip.hipMallocAsync(address, size, queue));
      Handle memory =
          Handle.of(
              "device buffer",
              address[0],
              device.leaks(),
              value -> free(stream, queue, value),
              value -> freeAbandoned(stream, queue, value));
      held = true;
      return new DeviceBuffer(device, memory, true, address[0], size);
    } finally {
      if (!held) {
        stream.handle().release();
      }
    }
  }

  private static void free(HipStream stream, long queue, long address) {
    try {
      stream.device().context().call("hipFreeAsync", hip -> hip.hipFreeAsync(address, queue));
    } finally {
      stream.handle().release();
    }
  }

  /** Nobody closed it, so nobody waited for other streams either. */
  private static void freeAbandoned(HipStream stream, long queue, long address) {
    int unused = stream.device().context().status(hip -> hip.hipDeviceSynchronize());
    free(stream, queue, address);
  }

  static void checkSize(long size) {
    if (size < 0) {
      throw new IllegalArgumentException("size must not be negative: " + size);
    }
  }
}
