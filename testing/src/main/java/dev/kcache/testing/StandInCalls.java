// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.hip.binding.ErrorNames;
import dev.kcache.hip.binding.PlatformCalls;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The functions of HIP that differ between runtimes. */
final class StandInCalls implements PlatformCalls {
  /** Offsets of {@code gcnArchName} in the two layouts of {@code hipDeviceProp_t}. */
  private static final int ARCH_NAME_R0600 = 1160;

  private static final int ARCH_NAME_R0000 = 396;

  private final Machine machine;
  private final int version;

  StandInCalls(Machine machine, String release) {
    String[] parts = release.split("\\.", -1);
    this.machine = machine;
    this.version = Integer.parseInt(parts[0]) * 10_000_000 + Integer.parseInt(parts[1]) * 100_000;
  }

  @Override
  public int hipDriverGetVersion(int[] driverVersion) {
    return machine.call("hipDriverGetVersion", () -> driverVersion[0] = version);
  }

  @Override
  public int hipRuntimeGetVersion(int[] runtimeVersion) {
    return machine.call("hipRuntimeGetVersion", () -> runtimeVersion[0] = version);
  }

  @Override
  public int hipDeviceGetUuid(byte[] uuid, int device) {
    return machine.call(
        "hipDeviceGetUuid",
        () -> {
          int ordinal = machine.device(device).ordinal();
          put(String.format(Locale.ROOT, "%016x", ordinal + 1), uuid, 0);
        });
  }

  private static void put(String text, byte[] to, int at) {
    byte[] bytes = text.getBytes(UTF_8);
    System.arraycopy(bytes, 0, to, at, bytes.length);
  }

  @Override
  public int hipGetDevicePropertiesR0600(byte[] prop, int deviceId) {
    return machine.call(
        "hipGetDevicePropertiesR0600",
        () -> put(machine.device(deviceId).traits().target().toString(), prop, ARCH_NAME_R0600));
  }

  @Override
  public int hipGetDeviceProperties(byte[] prop, int deviceId) {
    return machine.call(
        "hipGetDeviceProperties",
        () -> put(machine.device(deviceId).traits().target().toString(), prop, ARCH_NAME_R0000));
  }

  @Override
  public int hipDeviceEnablePeerAccess(int peerDeviceId, int flags) {
    return machine.call(
        "hipDeviceEnablePeerAccess",
        () -> {
          int peer = machine.device(peerDeviceId).ordinal();
          if (!machine.device().enablePeer(peer)) {
            throw new StandInError(
                StandInError.PEER_ACCESS_ALREADY_ENABLED, "the device has access already");
          }
        });
  }

  @Override
  public int hipMemcpyPeerAsync(
      long dst, int dstDeviceId, long src, int srcDevice, long sizeBytes, long stream) {
    return machine.call(
        "hipMemcpyPeerAsync", () -> Copies.onDevices(machine, dst, src, sizeBytes, stream));
  }

  @Override
  public @Nullable String hipGetErrorName(int hipError) {
    return ErrorNames.name(hipError);
  }

  @Override
  public @Nullable String hipGetErrorString(int hipError) {
    return Machine.reason(hipError);
  }

  /** The text of the last error stays, as callers ask for it after this. */
  @Override
  public int hipGetLastError() {
    return StandInError.SUCCESS;
  }

  @Override
  public int hipModuleOccupancyMaxPotentialBlockSize(
      int[] gridSize, int[] blockSize, long f, long dynSharedMemPerBlk, int blockSizeLimit) {
    return machine.call(
        "hipModuleOccupancyMaxPotentialBlockSize",
        () ->
            FunctionTraits.suggest(
                gridSize,
                blockSize,
                machine.handles().get(f, Code.Function.class),
                (int) dynSharedMemPerBlk,
                blockSizeLimit));
  }
}
