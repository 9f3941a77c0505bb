// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import com.sun.jna.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * HIP's functions that have no single counterpart in the CUDA driver, as HIP's headers define them
 * for NVIDIA's platform. Handles, flags and the numbers of errors are the same on both sides.
 *
 * <p>Source: {@link CudaNames}.
 *
 * @param linked the driver's functions under HIP's names
 */
record CudaCalls(Cuda cuda, PlatformCalls linked) implements PlatformCalls {
  private static final int SUCCESS = 0;

  /** CUDA writes its version as {@code 1000 * major + 10 * minor}. */
  @Override
  public int hipDriverGetVersion(int[] driverVersion) {
    int status = linked.hipDriverGetVersion(driverVersion);
    int version = driverVersion[0];
    driverVersion[0] = version / 1000 * 10_000_000 + version % 1000 / 10 * 100_000;
    return status;
  }

  /** The driver is the whole runtime. */
  @Override
  public int hipRuntimeGetVersion(int[] runtimeVersion) {
    return hipDriverGetVersion(runtimeVersion);
  }

  /** Only the newer function distinguishes the parts of a device. */
  @Override
  public int hipDeviceGetUuid(byte[] uuid, int device) {
    int status = cuda.cuDeviceGetUuid_v2(uuid, device);
    return status == HipLibrary.NOT_SUPPORTED ? linked.hipDeviceGetUuid(uuid, device) : status;
  }

  /** There is no such structure here: the properties are asked for one by one. */
  @Override
  public int hipGetDevicePropertiesR0600(byte[] prop, int deviceId) {
    return HipLibrary.NOT_SUPPORTED;
  }

  /** There is no such structure here: the properties are asked for one by one. */
  @Override
  public int hipGetDeviceProperties(byte[] prop, int deviceId) {
    return HipLibrary.NOT_SUPPORTED;
  }

  @Override
  public int hipDeviceEnablePeerAccess(int peerDeviceId, int flags) {
    long[] peer = new long[1];
    int status = cuda.cuDevicePrimaryCtxRetain(peer, peerDeviceId);
    return status == SUCCESS ? cuda.cuCtxEnablePeerAccess(peer[0], flags) : status;
  }

  /** The driver counts how often a context was retained; it lives as long as the process anyway. */
  @Override
  public int hipMemcpyPeerAsync(
      long dst, int dstDeviceId, long src, int srcDevice, long sizeBytes, long stream) {
    long[] target = new long[1];
    long[] source = new long[1];
    int status = cuda.cuDevicePrimaryCtxRetain(target, dstDeviceId);
    if (status == SUCCESS) {
      status = cuda.cuDevicePrimaryCtxRetain(source, srcDevice);
    }
    return status == SUCCESS
        ? cuda.cuMemcpyPeerAsync(dst, target[0], src, source[0], sizeBytes, stream)
        : status;
  }

  /** Errors without a name in HIP get CUDA's. */
  @Override
  public @Nullable String hipGetErrorName(int hipError) {
    String name = ErrorNames.name(hipError);
    return name != null ? name : text(hipError, cuda::cuGetErrorName);
  }

  @Override
  public @Nullable String hipGetErrorString(int hipError) {
    return text(hipError, cuda::cuGetErrorString);
  }

  private interface ErrorText {
    int of(int error, long[] text);
  }

  private static @Nullable String text(int error, ErrorText function) {
    long[] text = new long[1];
    int status = function.of(error, text);
    return status == SUCCESS && text[0] != 0 ? new Pointer(text[0]).getString(0) : null;
  }

  /** The driver keeps no last error for a thread. */
  @Override
  public int hipGetLastError() {
    return SUCCESS;
  }

  /** CUDA could also call a function for the shared memory. */
  @Override
  public int hipModuleOccupancyMaxPotentialBlockSize(
      int[] gridSize, int[] blockSize, long f, long dynSharedMemPerBlk, int blockSizeLimit) {
    return cuda.cuOccupancyMaxPotentialBlockSize(
        gridSize, blockSize, f, 0, dynSharedMemPerBlk, blockSizeLimit);
  }
}
