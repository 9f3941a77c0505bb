// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each version has the functions, the layouts and the codes of the library that it stands in for.
 */
class StandInVersionsTest {
  @ParameterizedTest
  @CsvSource({
    "hipModuleLaunchKernel, true, true, true",
    "hipMallocAsync, true, true, true",
    "hipDeviceGetUuid, true, true, true",
    "hipGetDeviceProperties, true, true, true",
    "hipGetDevicePropertiesR0600, false, true, true",
    "hipLaunchHostFunc, false, true, true",
    "hipDrvGetErrorName, false, true, true",
    "hipModuleGetFunctionCount, false, false, true",
  })
  void functions_ofEachVersion_areThoseOfTheRealOne(
      String function, boolean in5, boolean in6, boolean in7) {
    assertThat(Version.ofHip().map(v -> new Raw(StandIn.build(v)).has(function)))
        .containsExactly(in5, in6, in7);
  }

  @Test
  void stateOfVersions_inOneProcess_isApart() {
    StandIn one = StandIn.build(Version.HIP_5_2).devices("gfx1030");
    StandIn other = StandIn.build(Version.HIP_7_2).devices("gfx90a", "gfx90a");

    one.fail("hipMalloc", 2);

    assertThat(new Raw(one).error("hipMalloc", new Memory(8), 16L)).isEqualTo(2);
    new Raw(other).device(16);
    assertThat(other.counters().deviceAllocations()).isEqualTo(1);
    assertThat(one.counters().deviceAllocations()).isZero();
  }

  @ParameterizedTest
  @HipVersions
  void noDevice_isToldAsTheRealOneDoes(Version version) {
    Raw hip = new Raw(StandIn.build(version).devices());
    Memory count = new Memory(4);
    count.setInt(0, 7);

    assertThat(hip.error("hipInit", 0)).isEqualTo(version == Version.HIP_5_2 ? 101 : 100);
    assertThat(hip.error("hipGetDeviceCount", count)).isEqualTo(100);
    assertThat(count.getInt(0)).isZero();
  }

  @ParameterizedTest
  @HipVersions
  void lastError_afterASuccess_staysOnlySince7(Version version) {
    Raw hip = new Raw(StandIn.build(version).reset());
    hip.error("hipSetDevice", 99);
    hip.call("hipSetDevice", 0);

    int expected = version == Version.HIP_7_2 ? 101 : 0;
    assertThat(hip.error("hipPeekAtLastError")).isEqualTo(expected);
    assertThat(hip.error("hipGetLastError")).isEqualTo(expected);
    assertThat(hip.error("hipGetLastError")).isZero();
  }
}
