// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
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
  void library_ofEachVersion_isNamedAsTheRealOneAndAlone() throws Exception {
    for (Version version : Version.ofHip().toList()) {
      StandIn standIn = StandIn.build(version);
      try (Stream<?> files = Files.list(standIn.directory())) {
        assertThat(files.toList()).isEqualTo(List.of(standIn.library()));
      }
      assertThat(standIn.library()).hasFileName("libamdhip64.so." + version.major());
    }
  }

  @Test
  void without_functions_lacksThem() {
    StandIn whole = StandIn.build(Version.HIP_6_4);
    StandIn lacking = whole.without("hipMallocAsync", "hipFreeAsync");

    assertThat(new Raw(lacking).has("hipMallocAsync")).isFalse();
    assertThat(new Raw(lacking).has("hipFreeAsync")).isFalse();
    assertThat(new Raw(lacking).has("hipMalloc")).isTrue();
    assertThat(new Raw(whole).has("hipMallocAsync")).isTrue();
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
  void version_asked_isThatOfTheRealOne(Version version) {
    Raw hip = new Raw(StandIn.build(version).reset());
    Memory number = new Memory(4);

    hip.call("hipRuntimeGetVersion", number);

    assertThat(number.getInt(0) / 10_000_000).isEqualTo(version.major());
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
  void properties_lieWhereEachLayoutHasThem(Version version) {
    Raw hip = new Raw(StandIn.build(version).devices("gfx90a", "gfx1030/memory=1048576"));
    Memory properties = new Memory(4096);
    properties.clear();

    hip.call("hipGetDeviceProperties", properties, 1);
    assertThat(properties.getString(396)).isEqualTo("gfx1030");
    assertThat(properties.getInt(276)).isEqualTo(32);
    assertThat(properties.getLong(256)).isEqualTo(1 << 20);
    assertThat(properties.getByteArray(792, 1000)).containsOnly(0);

    if (version != Version.HIP_5_2) {
      hip.call("hipGetDevicePropertiesR0600", properties, 1);
      assertThat(properties.getString(1160)).isEqualTo("gfx1030");
      assertThat(properties.getInt(308)).isEqualTo(32);
      assertThat(properties.getLong(288)).isEqualTo(1 << 20);
    }
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

  @ParameterizedTest
  @HipVersions
  void memory_moreThanThereIs_isRefused(Version version) {
    Raw hip = new Raw(StandIn.build(version).devices("gfx90a/memory=1000"));
    Memory pointer = new Memory(8);

    hip.device(600);

    assertThat(hip.error("hipMalloc", pointer, 401L)).isEqualTo(2);
    hip.device(400);
  }
}
