// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.hip.binding.Hip;

/** HIP's functions of memory and copies, in Java. */
abstract class MemoryCalls implements Hip {
  private final Machine machine;

  MemoryCalls(Machine machine) {
    this.machine = machine;
  }

  @Override
  public int hipMalloc(long[] ptr, long size) {
    return machine.call("hipMalloc", () -> ptr[0] = allocate(machine.device(), size));
  }

  private long allocate(Device device, long size) {
    if (size == 0) {
      return 0;
    }
    device.take(size);
    return machine.memory().allocate(device.ordinal(), size, false).address();
  }

  @Override
  public int hipFree(long ptr) {
    return machine.release(
        "hipFree",
        () -> {
          Memory.Place place = machine.memory().require(ptr, 0);
          Device owner = owner(place.region());
          owner.drain();
          free(ptr);
          owner.requireAlive();
        });
  }

  private Device owner(Region region) {
    return machine.devices().get(region.device());
  }

  private void free(long ptr) {
    if (ptr != 0) {
      Region region = machine.memory().free(ptr);
      owner(region).giveBack(region.size());
    }
  }

  @Override
  public int hipMallocAsync(long[] devPtr, long size, long stream) {
    return machine.call(
        "hipMallocAsync", () -> devPtr[0] = allocate(machine.stream(stream).device(), size));
  }

  /** What is freed on a lost device is free at once. */
  @Override
  public int hipFreeAsync(long devPtr, long stream) {
    return machine.release(
        "hipFreeAsync",
        () -> {
          Stream queue =
              stream == 0
                  ? owner(machine.memory().require(devPtr, 0).region()).defaultStream()
                  : machine.handles().get(stream, Stream.class);
          if (queue.device().isLost()) {
            free(devPtr);
          }
          queue.device().requireAlive();
          queue.submit(() -> free(devPtr));
        });
  }

  @Override
  public int hipHostMalloc(long[] ptr, long size, int flags) {
    return machine.call(
        "hipHostMalloc",
        () -> {
          machine.device().requireAlive();
          ptr[0] = machine.memory().allocatePinned(size).address();
        });
  }

  @Override
  public int hipHostFree(long ptr) {
    return machine.release(
        "hipHostFree",
        () -> {
          machine.devices().forEach(Device::drain);
          Region unused = machine.memory().free(ptr);
          machine.device().requireAlive();
        });
  }

  @Override
  public int hipMemGetInfo(long[] free, long[] total) {
    return machine.call(
        "hipMemGetInfo",
        () -> {
          free[0] = machine.device().free();
          total[0] = machine.device().traits().memoryBytes();
        });
  }

  @Override
  public int hipMemcpyHtoD(long dst, long src, long sizeBytes) {
    return machine.call(
        "hipMemcpyHtoD",
        () -> {
          Copies.toDevice(machine, dst, src, sizeBytes, 0);
          synchronize(0);
        });
  }

  @Override
  public int hipMemcpyDtoH(long dst, long src, long sizeBytes) {
    return machine.call(
        "hipMemcpyDtoH",
        () -> {
          Copies.toHost(machine, dst, src, sizeBytes, 0);
          synchronize(0);
        });
  }

  @Override
  public int hipMemcpyHtoDAsync(long dst, long src, long sizeBytes, long stream) {
    return machine.call(
        "hipMemcpyHtoDAsync", () -> Copies.toDevice(machine, dst, src, sizeBytes, stream));
  }

  @Override
  public int hipMemcpyDtoHAsync(long dst, long src, long sizeBytes, long stream) {
    return machine.call(
        "hipMemcpyDtoHAsync", () -> Copies.toHost(machine, dst, src, sizeBytes, stream));
  }

  @Override
  public int hipMemcpyDtoDAsync(long dst, long src, long sizeBytes, long stream) {
    return machine.call(
        "hipMemcpyDtoDAsync", () -> Copies.onDevices(machine, dst, src, sizeBytes, stream));
  }

  @Override
  public int hipMemsetD8Async(long dest, int value, long count, long stream) {
    return machine.call(
        "hipMemsetD8Async", () -> Copies.fill(machine, dest, Byte.BYTES, value, count, stream));
  }

  @Override
  public int hipMemsetD32Async(long dest, int value, long count, long stream) {
    return machine.call(
        "hipMemsetD32Async", () -> Copies.fill(machine, dest, Integer.BYTES, value, count, stream));
  }

  final void synchronize(long stream) {
    Stream queue = machine.stream(stream);
    queue.drain();
    queue.device().requireAlive();
  }
}
