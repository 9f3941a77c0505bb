// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.DeviceAccess.Kfd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceAccessTest {
  private static final String HIP = "HIP_VISIBLE_DEVICES";
  private static final String ROCR = "ROCR_VISIBLE_DEVICES";
  private static final String CUDA = "CUDA_VISIBLE_DEVICES";

  @Test
  void noDriver_isSaidWhateverIsHidden(@TempDir Path root) throws IOException {
    Files.createDirectory(root.resolve("dev"));

    assertThat(DeviceAccess.of(Map.of(ROCR, "1"), root).whyNone())
        .isEqualTo(
            "there is no /dev/kfd; load the amdgpu kernel module, and give a container the GPU with"
                + " --device=/dev/kfd --device=/dev/dri");
  }

  @Test
  void driverThatMayNotBeUsed_namesTheGroup() {
    assertThat(new DeviceAccess(Map.of(), Kfd.DENIED, Optional.of("video")).whyNone())
        .startsWith("this user may not open /dev/kfd; add the user to the group video and log in");
    assertThat(new DeviceAccess(Map.of(), Kfd.DENIED, Optional.empty()).whyNone())
        .contains(" the group render ");
  }

  @Test
  void driverThatMayBeUsed_leavesTheVariables(@TempDir Path root) throws IOException {
    Files.createDirectory(root.resolve("dev"));
    Files.createFile(root.resolve("dev/kfd"));

    DeviceAccess access =
        DeviceAccess.of(Map.of(ROCR, "", HIP, "", "HSA_OVERRIDE_GFX_VERSION", "11.0.0"), root);

    assertThat(access.kfd()).isEqualTo(Kfd.OPEN);
    assertThat(access.group()).isPresent();
    assertThat(access.whyNone())
        .isEqualTo(
            "ROCR_VISIBLE_DEVICES='', HSA_OVERRIDE_GFX_VERSION='11.0.0' may hide what there is;"
                + " unset it, or name devices that are there");
    assertThat(access.hidden()).isEqualTo("; ROCR_VISIBLE_DEVICES='' may hide others");
  }

  @Test
  void nothingInTheWay_isLeftToRocminfo() {
    assertThat(new DeviceAccess(Map.of(), Kfd.OPEN, Optional.empty()).whyNone())
        .isEqualTo(
            "the driver shows none; see what rocminfo says: the GPU may be newer than this ROCm");
  }

  @Test
  void systemWithoutThatDriver_isNotToldOfIt(@TempDir Path root) throws IOException {
    assertThat(DeviceAccess.of(Map.of(), root).kfd()).isEqualTo(Kfd.UNKNOWN);
    Files.createDirectory(root.resolve("dev"));
    Files.createFile(root.resolve("dev/dxg"));

    assertThat(DeviceAccess.of(Map.of(), root).whyNone())
        .isEqualTo("the driver shows none; install AMD's driver for the GPU");
  }

  @Test
  void hipsVariable_goesBeforeCudas() {
    assertThat(new DeviceAccess(Map.of(HIP, "0", CUDA, "1"), Kfd.OPEN, Optional.empty()).hidden())
        .isEqualTo("; HIP_VISIBLE_DEVICES='0' may hide others");
    assertThat(new DeviceAccess(Map.of(HIP, "", CUDA, "1"), Kfd.OPEN, Optional.empty()).hidden())
        .isEqualTo("; CUDA_VISIBLE_DEVICES='1' may hide others");
    assertThat(new DeviceAccess(Map.of(HIP, ""), Kfd.OPEN, Optional.empty()).hidden()).isEmpty();
  }
}
