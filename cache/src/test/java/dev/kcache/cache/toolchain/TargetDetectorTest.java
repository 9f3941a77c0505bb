// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.TargetDetectionException;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetDetectorTest {
  @TempDir Path directory;
  private final List<String> notices = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({
    "rocminfo.gfx90a.txt, gfx90a:sramecc+:xnack-",
    "rocminfo.gfx90a.xnack.txt, gfx90a:sramecc+:xnack+",
    "rocminfo.gfx1030.txt, gfx1030",
    "rocminfo.gfx1030x2.txt, gfx1030",
  })
  void detect_oneKindOfGpu_isItsExactTarget(String fixture, String target) throws IOException {
    rocminfo("cat " + copy(fixture));

    assertThat(detect(Map.of())).isEqualTo(new DetectedTarget(TargetId.parse(target), true));
  }

  @ParameterizedTest
  @CsvSource({
    "rocminfo.override11.txt, 0, ' lists none'",
    "rocminfo.nogpu.txt, 1, ' failed: libkmod: ERROR '",
    "rocminfo.overridejunk.txt, 1, ' failed: '",
  })
  void detect_noGpu_saysWhatWasTriedAndTheOverride(String fixture, int exit, String reason)
      throws IOException {
    rocminfo("cat " + copy(fixture) + "; exit " + exit);

    assertThatThrownBy(() -> detect(Map.of("ARCH", "")))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessageStartingWith("no GPU target: KCACHE_ARCH and ARCH name none, and ")
        .hasMessageContaining("bin/rocminfo" + reason)
        .hasMessageEndingWith("; set KCACHE_ARCH or pass --arch")
        .hasMessageNotContaining("\u001B");
  }

  @Test
  void detect_severalDifferentGpus_listsThem() throws IOException {
    rocminfo("cat " + copy("rocminfo.gfx90a.txt") + " " + copy("rocminfo.gfx1030.txt"));

    assertThatThrownBy(() -> detect(Map.of()))
        .isInstanceOf(TargetDetectionException.class)
        .hasMessage(
            "several different GPUs: gfx90a:sramecc+:xnack-, gfx1030; set KCACHE_ARCH or pass"
                + " --arch to choose");
  }

  @Test
  void detect_npuAndGenericIsa_takesTheGpusFirstIsa() {
    String printed =
        """
        Agent 1
          Marketing Name:          AMD Ryzen 7 8845HS w/ Radeon 780M Graphics
          Device Type:             CPU
        Agent 2
          Marketing Name:          AMD Radeon 780M Graphics
          Device Type:             GPU
          ISA Info:
            ISA 1
              Name:                    amdgcn-amd-amdhsa--gfx1103
            ISA 2
              Name:                    amdgcn-amd-amdhsa--gfx11-generic
        Agent 3
          Marketing Name:          RyzenAI-npu1
          Device Type:             DSP
        """;

    assertThat(RocminfoReport.parse(printed).targets()).containsExactly("gfx1103");
    assertThat(RocminfoReport.parse(printed).agents()).hasSize(3);
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
    assertThat(notices).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x86_64", "amd64", "aarch64", "ARM64", "i686", "ppc64le", "riscv64"})
  void detect_archIsACpu_isIgnoredWithANotice(String cpu) throws IOException {
    rocminfo("cat " + copy("rocminfo.gfx1030.txt"));

    assertThat(detect(Map.of("ARCH", cpu)).detected()).isTrue();
    assertThat(notices)
        .containsExactly("ARCH=" + cpu + " names a CPU and is ignored; KCACHE_ARCH names a GPU");
  }

  @Test
  void detect_visibilityVariables_reachRocminfo() throws IOException {
    Path seen = directory.resolve("seen");
    rocminfo("env >" + seen + "; cat " + copy("rocminfo.gfx1030.txt"));

    detect(Map.of("ROCR_VISIBLE_DEVICES", "1", "HSA_XNACK", "1", "SECRET", "s"));

    assertThat(Files.readAllLines(seen))
        .contains("ROCR_VISIBLE_DEVICES=1", "HSA_XNACK=1")
        .doesNotContain("SECRET=s");
  }

  private DetectedTarget detect(Map<String, String> variables) {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
    environment.putAll(variables);
    return new TargetDetector(
            environment, () -> directory, directory.resolve("opt"), new Notices(notices))
        .detect();
  }

  private void rocminfo(String body) throws IOException {
    Script.write(directory.resolve("bin/rocminfo"), body);
  }

  private Path copy(String fixture) throws IOException {
    Path file = directory.resolve(fixture);
    try (InputStream in = getClass().getResourceAsStream("/rocminfo/" + fixture)) {
      Files.copy(in, file);
    }
    return file;
  }

  private record Notices(List<String> messages) implements System.Logger {
    @Override
    public String getName() {
      return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
      messages.add(message);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
      messages.add(format);
    }
  }
}
