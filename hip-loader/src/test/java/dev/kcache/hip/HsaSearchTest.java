// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where HSA's library is found, and what is said if it is not. */
class HsaSearchTest {
  private static final StandIn HSA = StandIn.build(Version.HSA_6_4);
  private static final StandIn HIP = StandIn.build(Version.HIP_6_4);

  @TempDir private Path directory;

  private static HipRuntime find(Map<String, String> environment) {
    return HipRuntime.find(environment);
  }

  private static String problem(HipRuntime runtime) {
    return runtime.unavailability().orElseThrow().getMessage();
  }

  @Test
  void library_isThatOfTheVariable() {
    for (Path named : List.of(HSA.library(), HSA.directory())) {
      HipRuntime found =
          find(Map.of("KCACHE_RUNTIME", "hsa", "KCACHE_HSA_LIBRARY", named.toString()));
      assertThat(found.kind()).isEqualTo(HipRuntime.Kind.HSA);
      assertThat(found.library()).isEqualTo(HSA.library().toString());
    }
    assertThat(HipRuntime.at(HSA.library()).kind()).isEqualTo(HipRuntime.Kind.HSA);
    assertThat(HipRuntime.at(HSA.directory()).kind()).isEqualTo(HipRuntime.Kind.HSA);
  }

  @Test
  void library_isThatOfRocmPath() throws IOException {
    Path library = Files.createDirectories(directory.resolve("lib")).resolve("libhsa-runtime64.so");
    Files.copy(HSA.library().toRealPath(), library);

    HipRuntime found = find(Map.of("KCACHE_RUNTIME", "hsa", "ROCM_PATH", directory.toString()));

    assertThat(found.library()).isEqualTo(library.toString());
    assertThat(found.version()).isEqualTo(new HipVersion(1, 0, 0));
  }

  /** AMD's own packages have the number of ROCm in the name. */
  @Test
  void nameOfTheFile_tellsTheRelease() throws IOException {
    Path file = directory.resolve("libhsa-runtime64.so.1.14.60304");
    Files.copy(HSA.library().toRealPath(), file);
    Files.createSymbolicLink(directory.resolve("libhsa-runtime64.so.1"), file.getFileName());

    HipRuntime found = HipRuntime.at(directory);

    assertThat(found.version()).isEqualTo(new HipVersion(1, 14, 60304));
    assertThat(found.release()).isEqualTo("6.3");
  }

  /** The variable says where it is, and not that it is to be used. */
  @Test
  void hip_isTakenWhereBothAreThere() {
    Map<String, String> both =
        Map.of(
            "KCACHE_HIP_LIBRARY", HIP.library().toString(),
            "KCACHE_HSA_LIBRARY", HSA.library().toString());
    assertThat(find(both).kind()).isEqualTo(HipRuntime.Kind.HIP);
  }

  @ParameterizedTest
  @ValueSource(strings = {"banana", "HSA", " "})
  void runtimeThatThereIsNot_isRefused(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> find(Map.of("KCACHE_RUNTIME", name)))
        .withMessage("KCACHE_RUNTIME='%s' is none of hip, hsa, cuda; correct it or unset it", name);
  }

  @Test
  void libraryOfAnotherRuntime_isRefused() {
    HipRuntime found =
        find(Map.of("KCACHE_RUNTIME", "cuda", "KCACHE_HIP_LIBRARY", HIP.library().toString()));

    assertThat(problem(found))
        .isEqualTo(
            "no usable HIP runtime library: %s (KCACHE_HIP_LIBRARY): is a library of hip, and"
                + " KCACHE_RUNTIME names another runtime; unset one of the two",
            HIP.library());
  }

  @Test
  void nothingThere_saysWhereItWasLookedFor() {
    HipRuntime found =
        find(Map.of("KCACHE_RUNTIME", "hsa", "KCACHE_HSA_LIBRARY", directory + "/gone"));

    assertThat(problem(found))
        .isEqualTo(
            "no usable HIP runtime library: %s/gone (KCACHE_HSA_LIBRARY): does not exist; install"
                + " ROCm's HSA runtime, or name its library in KCACHE_HSA_LIBRARY",
            directory);
    assertThat(
            problem(
                find(Map.of("KCACHE_RUNTIME", "hsa", "KCACHE_HSA_LIBRARY", directory.toString()))))
        .contains(
            "(KCACHE_HSA_LIBRARY): has no libhsa-runtime64.so there, nor in lib or lib64; install");
  }

  @Test
  void libraryThatLacksFunctions_isTooOld() {
    StandIn old = HSA.without("hsa_amd_memory_lock", "hsa_executable_freeze");

    assertThat(
            problem(
                find(
                    Map.of(
                        "KCACHE_RUNTIME", "hsa", "KCACHE_HSA_LIBRARY", old.library().toString()))))
        .contains(": is too old: it has no hsa_amd_memory_lock, hsa_executable_freeze; install");
  }

  @Test
  void otherLibrary_isNoHsa() {
    Map<String, String> named =
        Map.of("KCACHE_RUNTIME", "hsa", "KCACHE_HSA_LIBRARY", HIP.library().toString());
    assertThat(problem(find(named))).contains(": is no HSA runtime library: it has no hsa_init;");
  }

  @Test
  void noAgent_isAnEmptyListWithAReason() {
    HipRuntime none = HipRuntime.at(HSA.devices().library());

    assertThat(none.devices()).isEmpty();
    assertThat(catchThrowableOfType(HipDeviceNotFoundException.class, () -> none.device("0")))
        .hasMessageStartingWith("there is no GPU: ");
    HSA.reset();
  }

  @Test
  void agentOfAnUnknownProcessor_isRefusedWhenItIsUsed() {
    HSA.devices("gfx9999");
    HipDevice device = HipRuntime.at(HSA.library()).devices().get(0);

    assertThat(catchThrowableOfType(UnsupportedDeviceException.class, device::target))
        .hasMessageContaining("kcache does not know the processor gfx9999 of device 0");
    HSA.reset();
  }

  /** What a process sees is the runtime's to say; HIP's variables are not its. */
  @Test
  void visibleDevices_areThoseOfRocr() {
    Map<String, String> environment =
        Map.of(
            "KCACHE_RUNTIME",
            "hsa",
            "KCACHE_HSA_LIBRARY",
            HSA.library().toString(),
            StandIn.ENVIRONMENT,
            "devices=gfx90a,gfx1030,gfx1100",
            "ROCR_VISIBLE_DEVICES",
            "GPU-2,0",
            "HIP_VISIBLE_DEVICES",
            "1");

    List<String> lines = RuntimeProbe.run(environment).lines().toList();

    assertThat(lines.get(3))
        .isEqualTo("[0: AMD Radeon RX 7900 XTX (gfx1100), 1: AMD Instinct MI210 (gfx90a)]");
  }

  /** The one that hipcc's packages bring along, without a device. */
  @ParameterizedTest
  @ValueSource(strings = {"", "-Xcheck:jni"})
  void realRuntime_hasNoDeviceAndSaysWhy(String option) {
    Map<String, String> environment =
        Map.of("KCACHE_RUNTIME", "hsa", "KCACHE_HIP_LIBRARY", "", "ROCM_PATH", "");
    String[] options = option.isEmpty() ? new String[0] : new String[] {option};

    List<String> lines =
        RuntimeProbe.run(environment, options)
            .lines()
            .filter(line -> !line.startsWith("WARNING"))
            .collect(Collectors.toList());

    assertThat(String.join("\n", lines)).doesNotContain("FATAL ERROR in native method");
    assertThat(lines).anyMatch(line -> line.contains("libhsa-runtime64.so"));
    assertThat(lines).anyMatch(line -> line.matches("1\\.\\d+\\.\\d+"));
    assertThat(lines).contains("[]");
    assertThat(lines).anyMatch(line -> line.startsWith("there is no GPU: "));
  }
}
