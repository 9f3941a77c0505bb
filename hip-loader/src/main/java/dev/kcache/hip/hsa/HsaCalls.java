// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.hip.binding.ErrorNames;
import dev.kcache.hip.binding.PlatformCalls;
import org.jspecify.annotations.Nullable;

/** The other functions of HIP over HSA. */
final class HsaCalls implements PlatformCalls {
  /** Offset of {@code gcnArchName} in {@code hipDeviceProp_tR0600}, after a name at 0. */
  private static final int ARCH_NAME_R0600 = 1160;

  private static final String NO_REASON = "HSA's runtime failed";

  private final HsaHip hip;
  private final Agents agents;
  private final Failures failures;
  private final int version;

  /**
   * Creates the functions.
   *
   * @param version the runtime's own, as HIP writes its
   */
  HsaCalls(HsaHip hip, Agents agents, Failures failures, int version) {
    this.hip = hip;
    this.agents = agents;
    this.failures = failures;
    this.version = version;
  }

  @Override
  public int hipDriverGetVersion(int[] driverVersion) {
    return hipRuntimeGetVersion(driverVersion);
  }

  @Override
  public int hipRuntimeGetVersion(int[] runtimeVersion) {
    runtimeVersion[0] = version;
    return HsaFailure.SUCCESS;
  }

  @Override
  public int hipDeviceGetUuid(byte[] uuid, int device) {
    return failures.of(() -> put(agents.at(device).properties().uuid(), uuid, 0, uuid.length));
  }

  @Override
  public int hipGetDevicePropertiesR0600(byte[] prop, int deviceId) {
    return failures.of(
        () -> {
          AgentProperties properties = agents.at(deviceId).properties();
          put(properties.name(), prop, 0, ARCH_NAME_R0600);
          put(properties.target(), prop, ARCH_NAME_R0600, prop.length);
        });
  }

  @Override
  public int hipGetDeviceProperties(byte[] prop, int deviceId) {
    return HsaFailure.NOT_SUPPORTED;
  }

  private static void put(String text, byte[] to, int from, int end) {
    byte[] bytes = text.getBytes(UTF_8);
    System.arraycopy(bytes, 0, to, from, Math.min(bytes.length, end - from));
  }

  @Override
  public int hipDeviceEnablePeerAccess(int peerDeviceId, int flags) {
    return HsaFailure.NOT_SUPPORTED;
  }

  @Override
  public int hipMemcpyPeerAsync(
      long dst, int dstDeviceId, long src, int srcDevice, long sizeBytes, long stream) {
    return HsaFailure.NOT_SUPPORTED;
  }

  @Override
  public @Nullable String hipGetErrorName(int hipError) {
    return ErrorNames.name(hipError);
  }

  @Override
  public String hipGetErrorString(int hipError) {
    String reason = failures.reason(hipError);
    return reason.isEmpty() ? NO_REASON : reason;
  }

  /** There is no other user of HSA whose error this could be. */
  @Override
  public int hipGetLastError() {
    return HsaFailure.SUCCESS;
  }

  @Override
  public int hipModuleOccupancyMaxPotentialBlockSize(
      int[] gridSize, int[] blockSize, long f, long dynSharedMemPerBlk, int blockSizeLimit) {
    return failures.of(
        () ->
            KernelAttributes.suggest(
                gridSize, blockSize, hip.kernel(f), (int) dynSharedMemPerBlk, blockSizeLimit));
  }
}
