// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.driver.DetectedTarget;
import dev.kcache.toolchain.driver.FakeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** GPUs of NVIDIA's, as the target of who names none. */
class NvidiaDetectorTest {
  private static final String H200 =
      "echo '9.0, GPU-8f6d0c11-57f0-9a4f-7d0a-3f6f2f0c1b22, NVIDIA H200'";
  private static final String T4 =
      "echo '7.5, GPU-0a1b2c3d-57f0-9a4f-7d0a-3f6f2f0c1b23, Tesla T4, odd'";

  @TempDir Path directory;
  @TempDir Path memo;
  private FakeHost host;

  @BeforeEach
  void make() throws IOException {
    host = new FakeHost(directory);
    Files.delete(directory.resolve("dev/kfd"));
  }

  @Test
  void devices_nvidiaSmi_areItsGpusInOrder() throws IOException {
    host.script("nvidia-smi", H200 + "\n" + T4);

    assertThat(devices(Map.of()))
        .containsExactly(
            new DetectedDevice(
                TargetId.parse("sm_90"),
                "NVIDIA H200",
                Optional.of("GPU-8f6d0c11-57f0-9a4f-7d0a-3f6f2f0c1b22")),
            new DetectedDevice(
                TargetId.parse("sm_75"),
                "Tesla T4, odd",
                Optional.of("GPU-0a1b2c3d-57f0-9a4f-7d0a-3f6f2f0c1b23")));
  }

  @Test
  void detect_oneKind_isTheTarget() throws IOException {
    host.script("nvidia-smi", H200 + "\n" + H200);

    assertThat(host.detector(Map.of()).detect())
        .isEqualTo(new DetectedTarget(TargetId.parse("sm_90"), true));
  }

  @Test
  void devices_bothVendors_areAmdsUnlessThePlatformIsNamed() throws IOException {
    host.tool("rocminfo", "rocminfo.igpu.txt").script("nvidia-smi", H200);

    assertThat(targets(Map.of())).containsExactly("gfx1201", "gfx1036");
    assertThat(targets(Map.of("HIP_PLATFORM", "amd"))).containsExactly("gfx1201", "gfx1036");
    assertThat(targets(Map.of("HIP_PLATFORM", "nvidia"))).containsExactly("sm_90");
  }

  @Test
  void devices_rocminfoThatFindsNone_areNvidias() throws IOException {
    host.script("rocminfo", "echo 'ROCk module is NOT loaded, possibly no GPU devices'; exit 1")
        .script("nvidia-smi", H200);

    assertThat(targets(Map.of())).containsExactly("sm_90");
    assertThatThrownBy(() -> devices(Map.of("HIP_PLATFORM", "amd")))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageContaining("ROCk module is NOT loaded");
  }

  /** Where AMD's driver is loaded, a GPU of AMD's was meant. */
  @Test
  void devices_rocminfoThatFailsBesideAmdsDriver_isAmdsFailure() throws IOException {
    host.script("rocminfo", "echo 'hsa api call failure'; exit 1").script("nvidia-smi", H200);
    host.file("dev/kfd", "");

    assertThatThrownBy(() -> devices(Map.of()))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageContaining("hsa api call failure")
        .hasMessageNotContaining("nvidia");
    assertThat(targets(Map.of("HIP_PLATFORM", "nvcc"))).containsExactly("sm_90");
  }

  @Test
  void detect_differentGpus_namesTheVariableThatChooses() throws IOException {
    host.script("nvidia-smi", H200 + "\n" + T4);

    assertThatThrownBy(() -> host.detector(Map.of()).detect())
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageContaining("or CUDA_VISIBLE_DEVICES to show one kind");
  }

  @Test
  void devices_partOfAGpu_hasItsProcessor() throws IOException {
    host.script("nvidia-smi", H200 + "\n" + H200);

    assertThat(targets(Map.of("CUDA_VISIBLE_DEVICES", "MIG-8f6d0c11-57f0")))
        .containsExactly("sm_90");
    assertThat(targets(Map.of("CUDA_VISIBLE_DEVICES", "1, 0"))).hasSize(2);
  }

  @Test
  void devices_ofDifferentModels_areAskedForEachTime() throws IOException {
    host.script("nvidia-smi", H200);
    host.file("proc/driver/nvidia/version", "NVRM version: 580.159.04");
    host.file("proc/driver/nvidia/gpus/0000:00:06.0/information", "Model: \t NVIDIA H200\n");
    host.file("proc/driver/nvidia/gpus/0000:00:07.0/information", "Model: \t Tesla T4\n");

    remembered();
    remembered();

    assertThat(host.runs()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "exit 9 | failed",
        "echo 'NVIDIA-SMI has failed because it could not talk to the driver'; exit 9"
            + " | failed: NVIDIA-SMI has failed because it could not talk to the driver",
        "echo 'No devices were found' | lists no GPU: No devices were found",
        "true | lists no GPU",
        "echo 'version 580'; echo 'no permission' >&2; exit 4 | failed: no permission",
      })
  void devices_toolThatTellsNothing_saysWhy(String script, String problem) throws IOException {
    host.script("rocminfo", "exit 1").script("nvidia-smi", script);

    assertThatThrownBy(() -> devices(Map.of()))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessage(
            "%s failed, and %s %s"
                .formatted(
                    directory.resolve("bin/rocminfo"),
                    directory.resolve("bin/nvidia-smi"),
                    problem));
  }

  @Test
  void devices_machineWithoutAnythingOfAmds_isSpokenOfAsNvidias() throws IOException {
    host.script("nvidia-smi", H200);
    Map<String, String> hidden = Map.of("CUDA_VISIBLE_DEVICES", "");

    assertThatThrownBy(() -> host.detector(hidden).detect())
        .hasMessage(
            "no GPU target: KCACHE_ARCH and ARCH name none, and CUDA_VISIBLE_DEVICES='' shows none"
                + " of sm_90 (NVIDIA H200); unset it or name one of them, the first being 0; set"
                + " KCACHE_ARCH or pass --arch");
    host.script("rocminfo", "exit 1");
    assertThatThrownBy(() -> devices(hidden))
        .as("with ROCm, and without a GPU for it")
        .hasMessageStartingWith("CUDA_VISIBLE_DEVICES='' shows none of sm_90");

    Files.delete(directory.resolve("bin/rocminfo"));
    host.script("nvidia-smi", "echo 'No devices were found'; exit 6");
    assertThatThrownBy(() -> devices(Map.of("PATH", directory + "/bin")))
        .hasMessage(directory.resolve("bin/nvidia-smi") + " failed: No devices were found");
  }

  @Test
  void devices_platformWithoutTool_saysWhatIsMissing() {
    assertThatThrownBy(() -> devices(Map.of("HIP_PLATFORM", "nvidia")))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageContaining("no nvidia-smi");
  }

  @Test
  void devices_unknownProcessor_isAnErrorThatNamesIt() throws IOException {
    host.script("nvidia-smi", "echo '99.0, GPU-1, NVIDIA Z'");

    assertThatThrownBy(() -> devices(Map.of()))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageContaining("shows sm_990 (NVIDIA Z), which this version of kcache does not know")
        .hasMessageContaining("CUDA_VISIBLE_DEVICES");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GPU-0a1b         | ''         | sm_75",
        "GPU-0a1b,GPU-8f6 | ''         | sm_75 sm_90",
        "1                | PCI_BUS_ID | sm_75",
        "1,0              | PCI_BUS_ID | sm_75 sm_90",
        "0,-1,1           | PCI_BUS_ID | sm_90",
      })
  void devices_visibility_choosesAndOrders(String visible, String order, String expected)
      throws IOException {
    host.script("nvidia-smi", H200 + "\n" + T4);

    assertThat(targets(Map.of("CUDA_VISIBLE_DEVICES", visible, "CUDA_DEVICE_ORDER", order)))
        .containsExactly(expected.split(" "));
  }

  @Test
  void devices_numberAmongDifferentGpus_isAmbiguous() throws IOException {
    host.script("nvidia-smi", H200 + "\n" + T4);

    assertThatThrownBy(() -> devices(Map.of("CUDA_VISIBLE_DEVICES", "0")))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageContaining("set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name UUIDs");
  }

  @Test
  void devices_visibilityThatHidesAll_isAnError() throws IOException {
    host.script("nvidia-smi", H200);

    for (String none : List.of("", "-1", "7", "GPU-x")) {
      assertThatThrownBy(() -> devices(Map.of("CUDA_VISIBLE_DEVICES", none)))
          .isInstanceOf(TargetDetectionException.class)
          .hasMessageContaining("shows none of sm_90 (NVIDIA H200)");
    }
  }

  @Test
  void devices_ofADriverThatTellsItsGpus_areRemembered() throws IOException {
    host.script("nvidia-smi", H200);
    host.file("proc/driver/nvidia/version", "NVRM version: 580.159.04");
    host.file("proc/driver/nvidia/gpus/0000:00:06.0/information", "Model: NVIDIA H200");

    assertThat(remembered()).containsExactly("sm_90");
    assertThat(remembered()).containsExactly("sm_90");
    assertThat(host.runs()).containsExactly("nvidia-smi");

    host.file("proc/driver/nvidia/gpus/0000:00:06.0/information", "Model: Tesla T4");
    assertThat(remembered()).containsExactly("sm_90");
    assertThat(host.runs()).hasSize(2);
  }

  @Test
  void devices_ofADriverThatTellsNothing_areAskedForEachTime() throws IOException {
    host.script("nvidia-smi", H200);

    remembered();
    remembered();

    assertThat(host.runs()).hasSize(2);
  }

  private List<String> remembered() {
    return host.detector(Map.of("HIP_PLATFORM", "nvidia"), Optional.of(memo)).devices().stream()
        .map(device -> device.target().toString())
        .toList();
  }

  private List<String> targets(Map<String, String> variables) {
    return devices(variables).stream().map(device -> device.target().toString()).toList();
  }

  private List<DetectedDevice> devices(Map<String, String> variables) {
    return host.detector(variables).devices();
  }
}
