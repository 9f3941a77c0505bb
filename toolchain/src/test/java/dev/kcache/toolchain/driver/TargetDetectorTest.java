// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetDetectorTest {
  @TempDir Path directory;
  private FakeHost host;

  @BeforeEach
  void make() throws IOException {
    host = new FakeHost(directory);
  }

  @ParameterizedTest
  @CsvSource({
    "rocminfo.gfx90a.txt, gfx90a:sramecc+:xnack-",
    "rocminfo.gfx90a.xnack.txt, gfx90a:sramecc+:xnack+",
    "rocminfo.gfx1030.txt, gfx1030",
    "rocminfo.gfx1030x2.txt, gfx1030",
    "rocminfo.mi210x2.txt, gfx90a:sramecc+:xnack-",
    "rocminfo.mi300x8.txt, gfx942:sramecc+:xnack-",
    "rocminfo.gfx1103npu.txt, gfx1103",
    "rocminfo.wsl.txt, gfx1100",
  })
  void detect_oneKindOfGpu_isItsExactTarget(String fixture, String target) throws IOException {
    host.tool("rocminfo", fixture);

    assertThat(detect(Map.of())).isEqualTo(new DetectedTarget(TargetId.parse(target), true));
  }

  @Test
  void detect_toolOfAnotherRocmThanTheCompiler_isNoticed() throws IOException {
    host.tool("rocminfo", "rocminfo.gfx1030.txt").file("lib/libamdhip64.so.6", "");
    for (String program : List.of("hipcc", "rocminfo")) {
      Script.write(directory.resolve("rocm/bin/" + program), "exit 1");
    }
    String path = directory + "/bin:" + directory + "/rocm/bin:/usr/bin:/bin";

    assertThat(detect(Map.of("PATH", path)).target()).isEqualTo(TargetId.parse("gfx1030"));
    assertThat(host.notices)
        .containsExactly(
            "the compiler is of %1$s/rocm and rocminfo of %1$s; set ROCM_PATH to have both of one"
                .formatted(directory.toRealPath()));
  }

  @ParameterizedTest
  @CsvSource({
    "rocminfo.override11.txt, 0, ' lists none'",
    "rocminfo.nogpu.txt, 1, ' failed: ROCk module is NOT loaded'",
    "rocminfo.overridejunk.txt, 1, ' failed: Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES'",
  })
  void detect_noGpu_saysWhatWasTriedAndTheOverride(String fixture, int exit, String reason)
      throws IOException {
    host.script("rocminfo", "cat " + host.fixture(fixture) + "; exit " + exit);

    assertThatThrownBy(() -> detect(Map.of("ARCH", "")))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageStartingWith("no GPU target: KCACHE_ARCH and ARCH name none, and ")
        .hasMessageContaining("bin/rocminfo" + reason)
        .hasMessageEndingWith("; set KCACHE_ARCH or pass --arch")
        .hasMessageNotContaining("\u001B");
  }

  @Test
  void detect_severalDifferentGpus_listsThemAndTheWaysToChoose() throws IOException {
    host.tool("rocminfo", "rocminfo.igpu.txt");

    assertThatThrownBy(() -> detect(Map.of()))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessage(
            "several different GPUs: gfx1201 (AMD Radeon RX 9070 XT), gfx1036 (AMD Radeon"
                + " Graphics); set KCACHE_ARCH or pass --arch to choose, or HIP_VISIBLE_DEVICES to"
                + " show one kind");
    assertThat(detect(Map.of("HIP_VISIBLE_DEVICES", "0")).target())
        .isEqualTo(TargetId.parse("gfx1201"));
  }

  @Test
  void detect_noRocminfo_saysWhereItWasLookedFor() {
    assertThatThrownBy(() -> detect(Map.of("PATH", "/nowhere")))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessage(
            "no GPU target: KCACHE_ARCH and ARCH name none, and there is no rocminfo in PATH, "
                + directory
                + "/opt/rocm*/bin; set KCACHE_ARCH or pass --arch");
  }

  @Test
  void detect_variables_areTakenInOrderAndAsTheyAre() {
    assertThat(detect(Map.of("KCACHE_ARCH", "gfx942", "ARCH", "gfx90a")))
        .isEqualTo(new DetectedTarget(TargetId.parse("gfx942"), false));
    assertThat(detect(Map.of("KCACHE_ARCH", "", "ARCH", "gfx90a:xnack-")))
        .isEqualTo(new DetectedTarget(TargetId.parse("gfx90a:xnack-"), false));
    assertThat(host.notices).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x86_64", "amd64", "aarch64", "ARM64", "i686", "ppc64le", "riscv64"})
  void detect_archIsACpu_isIgnoredWithOneNotice(String cpu) throws IOException {
    Notices.clear();
    host.tool("rocminfo", "rocminfo.gfx1030.txt");
    TargetDetector detector = host.detector(Map.of("ARCH", cpu));

    assertThat(detector.detect().detected()).isTrue();
    detector.detect();
    host.detector(Map.of("ARCH", cpu)).detect();

    assertThat(host.notices)
        .containsExactly("ARCH=" + cpu + " names a CPU and is ignored; KCACHE_ARCH names a GPU");
  }

  @Test
  void detect_archIsNeitherCpuNorGpu_namesTheVariable() {
    assertThatThrownBy(() -> detect(Map.of("ARCH", "sparc")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("ARCH=sparc: unknown processor 'sparc'");
  }

  @ParameterizedTest
  @CsvSource({
    "MI300X,               gfx942",
    "AMD Instinct MI210,   gfx90a",
    "gfx94X-dcgpu:xnack+,  gfx942:xnack+",
    "gfx110X-igpu,         gfx1103",
  })
  void detect_variableNamesAProductOrAFamilyOfOne_isItsTarget(String value, String target) {
    DetectedTarget expected = new DetectedTarget(TargetId.parse(target), false);

    assertThat(detect(Map.of("KCACHE_ARCH", value))).isEqualTo(expected);
    assertThat(detect(Map.of("ARCH", value))).isEqualTo(expected);
  }

  @Test
  void detect_variableNamesAFamilyOfSeveral_listsThem() {
    assertThatThrownBy(() -> detect(Map.of("KCACHE_ARCH", "gfx90X-dcgpu:xnack-")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "KCACHE_ARCH=gfx90X-dcgpu:xnack- stands for several targets; choose one of them:"
                + " gfx908:xnack- gfx90a:xnack-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a;gfx1030", "gfx90a,gfx1030", "gfx90a gfx9999", "MI300X; "})
  void detect_variableNamesAList_saysThatItTakesOneTarget(String list) {
    assertThatThrownBy(() -> detect(Map.of("KCACHE_ARCH", list)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "KCACHE_ARCH=%s is a list, and the variable takes one target; set it to one of them, or"
                + " pass the list by --arch",
            list);
  }

  private DetectedTarget detect(Map<String, String> variables) {
    return host.detector(variables).detect();
  }
}
