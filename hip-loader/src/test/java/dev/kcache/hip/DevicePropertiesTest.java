// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.standin.HipVersions;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DevicePropertiesTest {
  private static final String NEW = "hipGetDevicePropertiesR0600";
  private static final String OLD = "hipGetDeviceProperties";

  @ParameterizedTest
  @HipVersions
  void properties_areTheDevices(Version version) {
    StandIn standIn = StandIn.build(version).devices("gfx1030/memory=17163091968");

    DeviceProperties properties = device(standIn).properties();

    assertThat(properties.name()).isEqualTo("AMD Radeon RX 6800");
    assertThat(properties.archName()).isEqualTo("gfx1030");
    assertThat(properties.memoryBytes()).isEqualTo(17_163_091_968L);
    assertThat(properties.limits().sharedMemoryBytes()).isEqualTo(65536);
    assertThat(properties.limits().registersPerBlock()).isEqualTo(65536);
    assertThat(properties.wavefrontSize()).isEqualTo(32);
    assertThat(properties.limits().maxThreadsPerBlock()).isEqualTo(1024);
    assertThat(properties.limits().maxBlockDims()).isEqualTo(new Dim3(1024, 1024, 1024));
    assertThat(properties.limits().maxGridDims().x()).isEqualTo(Integer.MAX_VALUE);
    assertThat(properties.computeUnits().clockRateKhz()).isEqualTo(1_700_000);
    assertThat(properties.computeUnits().count()).isEqualTo(60);
    assertThat(properties.computeUnits().maxThreads()).isEqualTo(2048);
    assertThat(properties.l2CacheBytes()).isEqualTo(8 << 20);
    assertThat(properties.integrated()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"HIP_6_4", "HIP_7_2"})
  void runtimeWithoutTheNewLayout_isAskedForTheOldOne(Version version) {
    StandIn whole = StandIn.build(version).devices(StandIn.DEFAULT_DEVICE);
    StandIn old = whole.without(NEW).devices(StandIn.DEFAULT_DEVICE);

    DeviceProperties properties = device(old).properties();

    assertThat(properties.archName()).isEqualTo("gfx90a:sramecc+:xnack-");
    assertThat(properties.memoryBytes()).isEqualTo(64L << 30);
    assertThat(properties.computeUnits().count()).isEqualTo(104);
  }

  @ParameterizedTest
  @HipVersions
  void attributes_sayTheSameButTheTarget(Version version) {
    StandIn whole = StandIn.build(version).devices(StandIn.DEFAULT_DEVICE);
    StandIn bare = whole.without(NEW, OLD).devices(StandIn.DEFAULT_DEVICE);

    HipDevice device = device(bare);

    DeviceProperties same = device(whole).properties();
    assertThat(device.properties())
        .usingRecursiveComparison()
        .ignoringFields("archName")
        .isEqualTo(same);
    assertThat(device.properties().archName()).isEmpty();
    assertThatThrownBy(device::target)
        .isInstanceOf(UnsupportedDeviceException.class)
        .hasMessage(
            "the runtime does not say which processor device 0 (AMD Instinct MI210) has; use a"
                + " newer runtime");
  }

  @Test
  void processorThatIsUnknown_isSaidWhenItsTargetIsAskedFor() {
    StandIn standIn = StandIn.build(Version.HIP_7_2).devices("gfx9999");

    HipDevice device = device(standIn);

    assertThat(device.toString()).isEqualTo("0: AMD Radeon Graphics (gfx9999)");
    assertThatThrownBy(device::target)
        .isInstanceOf(UnsupportedDeviceException.class)
        .hasMessage(
            "kcache does not know the processor gfx9999 of device 0; choose another device, or use"
                + " a newer kcache");
  }

  @Test
  void structureThatNamesNoProcessor_isNotBelieved(@TempDir Path directory) {
    HipDevice device = device(nonsense(directory.resolve("a.so"), "number == 87 ? 64 : 7"));
    assertThat(device.properties().archName()).isEmpty();
    assertThat(device.properties().limits().maxBlockDims()).isEqualTo(new Dim3(7, 7, 7));
  }

  @Test
  void runtimeThatMakesNoSenseAtAll_isRefused(@TempDir Path directory) {
    Path library = nonsense(directory.resolve("b.so"), "0");

    assertThatThrownBy(() -> device(library))
        .isInstanceOf(UnsupportedDeviceException.class)
        .hasMessage("the runtime gives device 0 wavefronts of 0 threads; is its library whole?");
  }

  @Test
  void runtimeThatFails_saysWhichFunction() {
    StandIn standIn = StandIn.build(Version.HIP_6_4).reset().fail(NEW, 1);

    assertThatThrownBy(() -> device(standIn))
        .isInstanceOf(HipException.class)
        .hasMessageStartingWith("hipGetDevicePropertiesR0600: hipErrorInvalidValue (1)");
    standIn.reset();
  }

  /** The places where the C compiler puts the name, by the headers of this machine's HIP. */
  @Test
  void archName_isWhereTheHeadersHaveIt(@TempDir Path directory) {
    Path program =
        CCompiler.compile(
            directory.resolve("offsets"),
            """
            #define __HIP_PLATFORM_AMD__
            #include <stddef.h>
            #include <stdio.h>
            #include <hip/hip_runtime_api.h>
            #include <hip/hip_version.h>
            #if HIP_VERSION_MAJOR < 6
            #define OLD hipDeviceProp_t
            #define NEW_NAME 1160
            #else
            #include <hip/hip_deprecated.h>
            #define OLD hipDeviceProp_tR0000
            #define NEW_NAME offsetof(hipDeviceProp_tR0600, gcnArchName)
            #endif
            int main(void) {
              printf("%d %d", (int)offsetof(OLD, gcnArchName), (int)NEW_NAME);
              return sizeof(hipDeviceProp_t) > 4096 || sizeof(OLD) > 4096;
            }
            """,
            "-std=gnu11");
    assertThat(CCompiler.run(List.of(program.toString()), Map.of()))
        .isEqualTo(DeviceAttributes.ARCH_NAME_R0000 + " " + DeviceAttributes.ARCH_NAME_R0600);
    assertThat(DeviceAttributes.BLOCK_SIZE).isEqualTo(4096);
  }

  private static Path nonsense(Path library, String attribute) {
    return CCompiler.library(
        library,
        """
        int hipInit(unsigned flags) { return 0; }
        int hipRuntimeGetVersion(int *version) { *version = 60443484; return 0; }
        int hipGetDeviceCount(int *count) { *count = 1; return 0; }
        void *memset(void *block, int byte, unsigned long size);
        int hipGetDevicePropertiesR0600(char *block, int device) { return !memset(block, 'x', 2048); }
        int hipDeviceGetName(char *name, int length, int device) { *name = 0; return 0; }
        int hipDeviceTotalMem(unsigned long *bytes, int device) { *bytes = 7; return 0; }
        int hipDeviceGetAttribute(int *value, int number, int device) { *value = %s; return 0; }
        """
            .formatted(attribute));
  }

  private static HipDevice device(StandIn standIn) {
    return device(standIn.library());
  }

  private static HipDevice device(Path library) {
    List<HipDevice> devices = HipRuntime.at(library).devices();
    assertThat(devices).hasSize(1);
    return devices.get(0);
  }
}
