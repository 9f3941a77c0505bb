// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.binding.RuntimeKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceAccessTest {
  private static final String HIP = "HIP_VISIBLE_DEVICES";
  private static final String ROCR = "ROCR_VISIBLE_DEVICES";
  private static final String CUDA = "CUDA_VISIBLE_DEVICES";

  @TempDir private Path root;

  private DeviceAccess amd(Map<String, String> environment) {
    return DeviceAccess.of(RuntimeKind.HIP, environment, root);
  }

  private DeviceAccess nvidia(Map<String, String> environment) {
    return DeviceAccess.of(RuntimeKind.CUDA, environment, root);
  }

  private void create(String... devices) throws IOException {
    Path dev = Files.createDirectories(root.resolve("dev"));
    for (String device : devices) {
      Files.createFile(dev.resolve(device));
    }
  }

  @Test
  void noDriver_isSaidWhateverIsHidden() throws IOException {
    create();
    assertThat(amd(Map.of(ROCR, "1")).whyNone())
        .isEqualTo(
            "there is no /dev/kfd; load the amdgpu kernel module, and give a container the GPU with"
                + " --device=/dev/kfd --device=/dev/dri");
    assertThat(nvidia(Map.of(CUDA, "")).whyNone())
        .isEqualTo(
            "there is no /dev/nvidiactl; load the nvidia kernel module, or give a container the GPU"
                + " with --gpus all");
  }

  @Test
  void driverThatMayNotBeUsed_namesTheGroup() {
    assertThat(DeviceAccess.denied(Optional.of("video")))
        .startsWith("this user may not open /dev/kfd; add the user to the group video and log in");
    assertThat(DeviceAccess.denied(Optional.empty())).contains(" the group render ");
  }

  @Test
  void driverThatMayBeUsed_leavesTheVariables() throws IOException {
    create("kfd", "nvidiactl");
    DeviceAccess amd = amd(Map.of(ROCR, "", HIP, "", "HSA_OVERRIDE_GFX_VERSION", "11.0.0"));
    assertThat(amd.whyNone())
        .isEqualTo(
            "ROCR_VISIBLE_DEVICES='', HSA_OVERRIDE_GFX_VERSION='11.0.0' may hide what there is;"
                + " unset it, or name devices that are there");
    assertThat(amd.hidden()).isEqualTo("; ROCR_VISIBLE_DEVICES='' may hide others");
    DeviceAccess nvidia = nvidia(Map.of(CUDA, "", HIP, "1"));
    assertThat(nvidia.whyNone())
        .isEqualTo(
            "CUDA_VISIBLE_DEVICES='' may hide what there is; unset it, or name devices that are there");
    assertThat(nvidia.hidden()).isEqualTo("; CUDA_VISIBLE_DEVICES='' may hide others");
  }

  @Test
  void nothingInTheWay_isLeftToTheVendorsTools() throws IOException {
    create("kfd", "nvidiactl");
    assertThat(amd(Map.of()).whyNone())
        .isEqualTo(
            "the driver shows none; see what rocminfo says: the GPU may be newer than this ROCm");
    assertThat(nvidia(Map.of()).whyNone())
        .isEqualTo("the driver shows none; see what nvidia-smi says");
    assertThat(nvidia(Map.of()).hidden()).isEmpty();
  }

  /** It has no device files. */
  @Test
  void windows_isNotToldOfOne() {
    assertThat(amd(Map.of()).obstacle()).isEmpty();
    assertThat(nvidia(Map.of()).obstacle()).isEmpty();
    assertThat(amd(Map.of()).whyNone())
        .isEqualTo("the driver shows none; install AMD's driver for the GPU");
  }

  /** No group and no kernel module helps there. */
  @Test
  void wsl_needsItsOwnDeviceAndLibrary() throws IOException {
    create();
    Path kernel = Files.createDirectories(root.resolve("proc/sys/kernel")).resolve("osrelease");
    Files.writeString(kernel, "5.15.153.1-microsoft-standard-WSL2");
    assertThat(amd(Map.of()).whyNone())
        .startsWith("there is no /dev/dxg, by which WSL has Windows' GPUs; update WSL by ")
        .doesNotContain("kfd");
    Files.createFile(root.resolve("dev/dxg"));
    assertThat(amd(Map.of()).whyNone())
        .startsWith("the driver shows none; install ROCm for WSL, whose librocdxg is in no ROCm");
    assertThat(amd(Map.of(ROCR, "1")).whyNone())
        .isEqualTo(
            "ROCR_VISIBLE_DEVICES='1' may hide what there is; unset it, or name devices that are there");
    assertThat(nvidia(Map.of()).obstacle()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0,  1, ; HIP_VISIBLE_DEVICES='0' may hide others",
    "'', 1, ; CUDA_VISIBLE_DEVICES='1' may hide others",
    "'', '', ''"
  })
  void hipsVariable_goesBeforeCudas(String hip, String cuda, String hidden) {
    assertThat(amd(Map.of(HIP, hip, CUDA, cuda)).hidden()).isEqualTo(hidden);
  }
}
