// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.hip.DeviceProperties.ComputeUnits;
import dev.kcache.hip.DeviceProperties.LaunchLimits;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CudaOnStandInTest extends CudaContract {
  private final StandIn standIn = StandIn.build(Version.CUDA_13_0);

  @Override
  HipDevice device() {
    standIn.devices("sm_90", "sm_80");
    return HipRuntime.at(standIn.library()).devices().get(0);
  }

  @AfterEach
  void nothingIsLeft() {
    Counters counters = standIn.counters();
    assertThat(counters).isEqualTo(Counters.cleanAfter(counters.launches()));
  }

  @Test
  void properties_areTheDevices() {
    HipDevice device = device();
    assertThat(device.properties())
        .isEqualTo(
            new DeviceProperties(
                "NVIDIA H200",
                "sm_90",
                64L << 30,
                32,
                new LaunchLimits(
                    232_448,
                    65_536,
                    1024,
                    new Dim3(1024, 1024, 64),
                    new Dim3(Integer.MAX_VALUE, 65_535, 65_535)),
                new ComputeUnits(132, 2048, 1_700_000),
                8 << 20,
                false));
    assertThat(device).hasToString("0: NVIDIA H200 (sm_90)");
    assertThat(device.runtime().version()).isEqualTo(new HipVersion(13, 0, 0));
    assertThat(device.runtime().driverVersion()).isEqualTo(new HipVersion(13, 0, 0));
  }

  /** The stand-in's own UUID is {@code 0e12865a3bf5b7ab}, with the highest bit of each byte set. */
  @Test
  void uuid_isInGroupsAndSelectsWithOrWithoutThem() {
    HipDevice device = device();
    HipRuntime hip = device.runtime();

    assertThat(device.uuid()).contains("GPU-b0e5b1b2-b8b6-b5e1-b3e2-e6b5e2b7e1b0");
    assertThat(hip.device("GPU-b0e5b1b2-b8b6").ordinal()).isZero();
    assertThat(hip.device("gpu-B0E5B1B2B8B6B5E1B3E2E6B5E2B7E1B0").ordinal()).isZero();
    assertThat(hip.device("GPU-b1").ordinal()).isEqualTo(1);
    assertThat(device.pciBusId()).contains("0000:03:00.0");
  }

  @ParameterizedTest
  @CsvSource({
    "2, hipErrorOutOfMemory, false",
    "201, hipErrorInvalidContext, false",
    "700, hipErrorIllegalAddress, true",
    "716, CUDA_ERROR_MISALIGNED_ADDRESS, true",
    "803, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, false"
  })
  void error_hasHipsNameIfItHasOne(int code, String name, boolean sticky) {
    HipDevice device = device();
    standIn.fail("hipMalloc", code, 0, 1);

    HipException failure = catchThrowableOfType(HipException.class, () -> device.allocate(8));

    assertThat(failure.function()).isEqualTo("hipMalloc");
    assertThat(failure.errorName()).isEqualTo(name);
    assertThat(failure.text()).isNotEmpty();
    assertThat(failure.isSticky()).isEqualTo(sticky);
  }

  @Test
  void launch_byADriverThatHoldsItAgainstTheContext_isMadeThere() {
    try (HipStream stream = device().createStream()) {
      standIn.contextual(true);
      launchAmongContexts(stream);
    } finally {
      standIn.contextual(false);
    }
  }

  /** Returns a library of its own, of whose contexts no test has needed one. */
  private static StandIn unused(String without) {
    return StandIn.build(Version.CUDA_13_0).without(without).reset();
  }

  /** A context takes memory of the device, so it is not made before it is needed, nor twice. */
  @Test
  void primaryContext_isRetainedOnce() {
    StandIn fresh = unused("hipDeviceGetPCIBusId");
    HipRuntime hip = HipRuntime.at(fresh.library());
    hip.devices().get(0).uuid();
    assertThat(fresh.calls("hipDevicePrimaryCtxRetain")).isZero();

    hip.devices().get(0).allocate(8).close();
    hip.devices().get(0).allocate(8).close();

    assertThat(fresh.calls("hipDevicePrimaryCtxRetain")).isEqualTo(1);
  }

  @Test
  void contextThatCannotBeMade_isAnErrorBeforeTheCall() {
    StandIn fresh = unused("hipDeviceGetUuid");
    HipDevice device = HipRuntime.at(fresh.library()).devices().get(0);
    fresh.fail("hipDevicePrimaryCtxRetain", 2, 0, 1);

    HipException failure = catchThrowableOfType(HipException.class, () -> device.allocate(8));

    assertThat(failure.function()).isEqualTo("hipSetDevice");
    assertThat(failure.code()).isEqualTo(2);
    device.allocate(8).close();
  }
}
