// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.driver.FakeHost;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceDetectorTest {
  @TempDir Path directory;
  private FakeHost host;

  @BeforeEach
  void make() throws IOException {
    host = new FakeHost(directory);
  }

  @Test
  void devices_rocminfo_areItsGpusInOrder() throws IOException {
    host.tool("rocminfo", "rocminfo.igpu.txt");

    assertThat(devices(Map.of()))
        .containsExactly(
            new DetectedDevice(
                TargetId.parse("gfx1201"),
                "AMD Radeon RX 9070 XT",
                Optional.of("GPU-4d90a2c0b41e6f55")),
            new DetectedDevice(TargetId.parse("gfx1036"), "AMD Radeon Graphics", Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HIP_VISIBLE_DEVICES  | 1   | gfx1036",
        "HIP_VISIBLE_DEVICES  | 1,0 | gfx1036 gfx1201",
        "HIP_VISIBLE_DEVICES  | 0,9 | gfx1201",
        "HIP_VISIBLE_DEVICES  | GPU-4d90a2c0b41e6f55 | gfx1201",
        "CUDA_VISIBLE_DEVICES | 1   | gfx1036",
        "GPU_DEVICE_ORDINAL   | 1   | gfx1201 gfx1036",
      })
  void devices_visibility_choosesAndOrders(String variable, String value, String targets)
      throws IOException {
    host.tool("rocminfo", "rocminfo.igpu.txt");

    assertThat(devices(Map.of(variable, value)))
        .extracting(device -> device.target().toString())
        .containsExactly(targets.split(" "));
  }

  @ParameterizedTest
  @CsvSource({"-1", "7", "GPU-XX", "none"})
  void devices_visibilityThatHidesAll_namesItAndWhatThereIs(String value) throws IOException {
    host.tool("rocminfo", "rocminfo.igpu.txt");

    assertThatThrownBy(() -> devices(Map.of("HIP_VISIBLE_DEVICES", value)))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessage(
            "HIP_VISIBLE_DEVICES='"
                + value
                + "' shows none of gfx1201 (AMD Radeon RX 9070 XT), gfx1036 (AMD Radeon Graphics);"
                + " unset it or name one of them, the first being 0");
  }

  @Test
  void devices_processorOfTheFuture_isNamed() throws IOException {
    host.tool("rocminfo", "rocminfo.unknown.txt");

    assertThatThrownBy(() -> devices(Map.of()))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageContaining("shows gfx9999:xnack+ (AMD Future), which this version of kcache")
        .hasMessageContaining("HIP_VISIBLE_DEVICES");
    assertThat(devices(Map.of("HIP_VISIBLE_DEVICES", "0"))).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rocminfo.nogpu.txt     | 1 | failed: ROCk module is NOT loaded, possibly no GPU devices;"
            + " load the amdgpu kernel module, of a container on its host",
        "rocminfo.notlive.txt   | 1 | failed: ROCk module is NOT live, possibly no GPU devices;"
            + " load the amdgpu kernel module, of a container on its host",
        "rocminfo.nokfd.txt     | 1 | failed: Unable to open /dev/kfd read-write: No such file or"
            + " directory; a container is given the GPU with --device=/dev/kfd --device=/dev/dri",
        "rocminfo.notmember.txt | 1 | failed: Unable to open /dev/kfd read-write: Permission"
            + " denied; add the user to the group render (sudo usermod -aG render USER; a"
            + " container: --group-add render) and log in again",
        "rocminfo.member.txt    | 1 | failed: Unable to open /dev/kfd read-write: Permission"
            + " denied; the user is in the group render, but this session began before or may not"
            + " use the device: log in again",
        "rocminfo.einval.txt    | 1 | failed: Unable to open /dev/kfd read-write: Invalid argument",
        "rocminfo.wslnone.txt   | 1 | failed: hsa_init Failed, possibly no supported GPU devices",
        "rocminfo.override11.txt | 0 | lists none",
      })
  void devices_rocminfoThatFails_saysWhyAndWhatToDo(String fixture, int exit, String why)
      throws IOException {
    host.script("rocminfo", "cat " + host.fixture(fixture) + "; exit " + exit);

    assertThatThrownBy(() -> devices(Map.of()))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessage(directory + "/bin/rocminfo " + why);
  }

  /** Neither a kernel module nor a group helps there. */
  @ParameterizedTest
  @CsvSource({"rocminfo.wslnone.txt, 1", "rocminfo.nogpu.txt, 1", "rocminfo.override11.txt, 0"})
  void devices_noneInWsl_namesWhatRocmNeedsThere(String fixture, int exit) throws IOException {
    Files.move(directory.resolve("dev/kfd"), directory.resolve("dev/dxg"));
    host.script("rocminfo", "cat " + host.fixture(fixture) + "; exit " + exit);

    assertThatThrownBy(() -> devices(Map.of()))
        .hasMessageEndingWith(
            "; install ROCm for WSL, whose librocdxg is in no ROCm and not in /usr/lib/wsl/lib, and"
                + " AMD's driver on Windows")
        .hasMessageNotContainingAny("amdgpu", "render");
  }

  @Test
  void devices_deniedWithoutAGroupsName_namesTheOwnerGroup() throws IOException {
    host.script("rocminfo", "cat " + host.fixture("rocminfo.nouser.txt") + "; exit 1");
    String group =
        Files.readAttributes(directory.resolve("dev/kfd"), PosixFileAttributes.class)
            .group()
            .getName();

    assertThatThrownBy(() -> devices(Map.of()))
        .hasMessageContaining("Operation not permitted; add the user to the group " + group + " ");
  }

  @Test
  void devices_overrideThatIsNoVersion_namesTheVariable() throws IOException {
    host.script("rocminfo", "cat " + host.fixture("rocminfo.overridejunk.txt") + "; exit 1");

    assertThatThrownBy(() -> devices(Map.of("HSA_OVERRIDE_GFX_VERSION", "junk")))
        .hasMessageContaining(
            "failed: Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed")
        .hasMessageEndingWith(
            "; HSA_OVERRIDE_GFX_VERSION=junk may be the cause: unset it, or give a version that"
                + " this ROCm knows");
  }

  @Test
  void devices_overrideThatHidesTheGpu_namesTheVariableAndWhatTheKernelShows() throws IOException {
    host.gpu(100300, "5").tool("rocminfo", "rocminfo.override11.txt");

    assertThatThrownBy(() -> devices(Map.of("HSA_OVERRIDE_GFX_VERSION_1", "11.0.0")))
        .hasMessageEndingWith(
            "bin/rocminfo lists none, although the kernel shows gfx1030;"
                + " HSA_OVERRIDE_GFX_VERSION_1=11.0.0 may be the cause: unset it, or give a"
                + " version that this ROCm knows");
  }

  @Test
  void devices_emptyRocrVariable_isNamed() throws IOException {
    host.tool("rocminfo", "rocminfo.override11.txt");

    assertThatThrownBy(() -> devices(Map.of("ROCR_VISIBLE_DEVICES", "")))
        .hasMessageEndingWith("lists none; ROCR_VISIBLE_DEVICES='' may hide what there is");
  }

  @Test
  void devices_rocminfoThatDiesHalfWay_isNoList() throws IOException {
    host.script("rocminfo", "head -n 150 " + host.fixture("rocminfo.igpu.txt") + "; exit 1");
    assertThatThrownBy(() -> devices(Map.of())).hasMessageContaining("bin/rocminfo failed");

    host.script("rocminfo", "kill -s SEGV $$");
    assertThatThrownBy(() -> devices(Map.of())).hasMessageContaining("bin/rocminfo failed");
  }

  @Test
  void devices_rocminfoThatDiesAfterItsLastLine_isItsList() throws IOException {
    host.script("rocminfo", "cat " + host.fixture("rocminfo.igpu.txt") + "; exit 134");

    assertThat(devices(Map.of())).hasSize(2);
  }

  @Test
  void devices_hipinfoWithoutRocminfo_isItsListAsHipShowsIt() throws IOException {
    host.script(
        "hipInfo",
        "/usr/bin/env >%s/seen; /bin/cat %s"
            .formatted(directory, host.fixture("hipinfo.gfx1100.txt")));

    assertThat(devicesOnly(Map.of("HIP_VISIBLE_DEVICES", "1")))
        .containsExactly(
            new DetectedDevice(
                TargetId.parse("gfx1100"), "AMD Radeon RX 7900 XTX", Optional.empty()));
    assertThat(Files.readAllLines(directory.resolve("seen"))).contains("HIP_VISIBLE_DEVICES=1");
  }

  @Test
  void devices_noTool_areTheKernels() throws IOException {
    host.gpu(90010, "1014020588222920619").node(2, "simd_count 1", "gfx_target_version 110501");

    assertThat(devicesOnly(Map.of()))
        .containsExactly(
            new DetectedDevice(
                TargetId.parse("gfx90a"), "gfx90a", Optional.of("GPU-0e12865a3bf5b7ab")),
            new DetectedDevice(TargetId.parse("gfx1151"), "gfx1151", Optional.empty()));
    assertThat(devicesOnly(Map.of("ROCR_VISIBLE_DEVICES", "1,0", "HIP_VISIBLE_DEVICES", "0")))
        .extracting(DetectedDevice::name)
        .containsExactly("gfx1151");
    assertThatThrownBy(() -> devicesOnly(Map.of("ROCR_VISIBLE_DEVICES", "")))
        .hasMessageContaining("ROCR_VISIBLE_DEVICES='' shows none of gfx90a, gfx1151");
  }

  @Test
  void devices_noToolButAnOverride_isNoGuess() throws IOException {
    host.gpu(100301, "5");

    assertThatThrownBy(() -> devicesOnly(Map.of("HSA_OVERRIDE_GFX_VERSION", "10.3.0")))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageContaining("HSA_OVERRIDE_GFX_VERSION is set")
        .hasMessageContaining("gfx1031");
  }

  @Test
  void devices_noToolAndNoDevice_isNoGuess() throws IOException {
    host.gpu(90010, "5");
    Files.delete(directory.resolve("dev/kfd"));

    assertThatThrownBy(() -> devicesOnly(Map.of()))
        .hasMessage("there is no rocminfo in PATH, " + directory + "/opt/rocm*/bin");
  }

  /** As under WSL, where the kernel lists no GPU. What each prints is one line for each GPU. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "amdgpu-arch           | gfx1100\\ngfx1036                 | gfx1100 gfx1036",
        "amdgpu-arch           | gfx90a:sramecc+:xnack-\\r\\n       | gfx90a:sramecc+:xnack-",
        "offload-arch          | gfx1151\\nsm_90                   | gfx1151",
        "rocm_agent_enumerator | gfx000\\ngfx942\\ngfx942           | gfx942 gfx942",
      })
  void devices_toolThatListsArchitectures_areItsGpus(String tool, String printed, String targets)
      throws IOException {
    host.script(tool, "printf '" + printed + "'");

    assertThat(devicesOnly(Map.of()))
        .extracting(device -> device.target().toString())
        .containsExactly(targets.split(" ", -1));
    assertThat(devicesOnly(Map.of("HIP_VISIBLE_DEVICES", "0"))).hasSize(1);
  }

  @Test
  void devices_toolThatListsNoArchitecture_saysSo() throws IOException {
    host.script("offload-arch", "echo \"Failed to 'dlopen' libcuda.so.1\" >&2");

    assertThatThrownBy(() -> devicesOnly(Map.of()))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessage(directory + "/bin/offload-arch lists none");
  }

  /** The kernel's list costs no process and knows each GPU's UUID. */
  @Test
  void devices_kernelsList_isBeforeThatOfArchitectures() throws IOException {
    host.gpu(100301, "5").script("amdgpu-arch", "echo gfx1030");

    assertThat(devicesOnly(Map.of())).extracting(DetectedDevice::name).containsExactly("gfx1031");
    assertThat(devicesOnly(Map.of("HSA_OVERRIDE_GFX_VERSION", "10.3.0")))
        .extracting(DetectedDevice::name)
        .containsExactly("gfx1030");
  }

  @Test
  void devices_overrideThatOnlyTheEnumeratorCouldTell_isNoGuess() throws IOException {
    host.script("rocm_agent_enumerator", "echo gfx1031");

    assertThatThrownBy(() -> devicesOnly(Map.of("HSA_OVERRIDE_GFX_VERSION", "10.3.0")))
        .isInstanceOf(TargetDetectionException.class);
  }

  /** It would start Python, and may unpack the wheel first. */
  @Test
  void devices_rocminfoOfAWheel_isRunWithoutItsScript() throws IOException {
    host.script("rocminfo", "from rocm_sdk_core._cli import rocminfo; exit 1");
    Script.write(
        directory.resolve("lib/python3.12/site-packages/_rocm_sdk_core/bin/rocminfo"),
        "/bin/cat " + host.fixture("rocminfo.igpu.txt"));

    assertThat(devicesOnly(Map.of())).hasSize(2);
    assertThat(host.runs()).isEmpty();
  }

  @Test
  void devices_visibilityVariables_reachRocminfoAndNothingElseDoes() throws IOException {
    Path seen = directory.resolve("seen");
    host.script("rocminfo", "env >" + seen + "; cat " + host.fixture("rocminfo.gfx1030.txt"));

    devices(Map.of("ROCR_VISIBLE_DEVICES", "", "HSA_XNACK", "1", "SECRET", "s"));

    assertThat(Files.readAllLines(seen))
        .contains("ROCR_VISIBLE_DEVICES=", "HSA_XNACK=1")
        .doesNotContain("SECRET=s");
  }

  /** Where no tool of this machine is found. */
  private List<DetectedDevice> devicesOnly(Map<String, String> variables) {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("PATH", directory.resolve("bin").toString());
    return devices(environment);
  }

  private List<DetectedDevice> devices(Map<String, String> variables) {
    return host.detector(variables).devices();
  }

  @Test
  void noTool_onWindows_isHipInfoInItsPlaces() {
    Environment variables =
        new Environment(Map.of("HIP_PATH", "/sdk", "ProgramFiles", "/Program Files"));

    assertThat(DeviceDetector.noTool(new RocmFinder(variables, Path.of("/"), true)))
        .isEqualTo("there is no hipInfo.exe in /sdk/bin, PATH, /Program Files/AMD/ROCm/*/bin");
  }
}
