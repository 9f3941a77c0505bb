// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.CCompiler;
import dev.kcache.hip.binding.LibraryFinder.Search;
import dev.kcache.hip.hsa.HsaLibrary;
import dev.kcache.hip.standin.StandIn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which platform's library is taken, of those that are there and show devices. */
class PlatformChoiceTest {
  @TempDir private Path root;
  private Path amd;
  private Path nvidia;

  /** Whose devices were asked for. */
  private final Set<String> asked = new TreeSet<>();

  @BeforeEach
  void nameLibraries() {
    amd = root.resolve("opt/rocm/lib/libamdhip64.so.6");
    nvidia = root.resolve("usr/local/nvidia/lib64/libcuda.so.1");
  }

  /** Looks for libraries below the root only, whatever this machine has. */
  private final class Judge implements LibraryFinder.Judge {
    private final String withDevices;

    Judge(String withDevices) {
      this.withDevices = withDevices;
    }

    @Override
    public HipLibrary load(RuntimeKind kind, String name) {
      return kind == RuntimeKind.HSA ? HsaLibrary.load(name) : LinkedLibrary.load(name);
    }

    @Override
    public Optional<String> flaw(HipLibrary library) {
      return library.file().startsWith(root.toString())
          ? Optional.empty()
          : Optional.of("is this machine's own");
    }

    @Override
    public boolean hasDevice(HipLibrary library) {
      String platform = library.platform().toString();
      asked.add(platform);
      return withDevices.contains(platform);
    }
  }

  private Search search(String withDevices, Map<String, String> environment) {
    return LibraryFinder.search(
        new LibraryPlaces(false, root), environment, Optional.empty(), new Judge(withDevices));
  }

  @ParameterizedTest
  @CsvSource({
    "amd nvidia, '',         '',     amd",
    "amd nvidia, amd,        '',     amd",
    "amd nvidia, amd nvidia, '',     amd",
    "amd nvidia, nvidia,     '',     nvidia",
    "amd nvidia, nvidia,     amd,    amd",
    "amd nvidia, amd,        nvidia, nvidia",
    "amd,        '',         '',     amd",
    "amd,        '',         nvidia, ''",
    "nvidia,     '',         '',     nvidia",
    "nvidia,     nvidia,     amd,    ''",
    "'',         '',         '',     ''"
  })
  void platform_isWhatIsThereAmdFirst(
      String installed, String withDevices, String named, String chosen) {
    if (installed.contains("amd")) {
      CCompiler.runtime(amd, 60443484);
    }
    if (installed.contains("nvidia")) {
      CCompiler.cudaDriver(nvidia, 13000);
    }
    Map<String, String> environment = new HashMap<>(Map.of("HIP_PLATFORM", named));

    Search search = search(withDevices, environment);

    assertThat(search.library().map(one -> one.platform().toString()).orElse("")).isEqualTo(chosen);
  }

  @ParameterizedTest
  @CsvSource({
    "hsa,            '',     hsa",
    "hsa amd,        '',     hip",
    "hsa amd,        nvidia, hip",
    "hsa nvidia,     '',     hsa",
    "hsa nvidia,     nvidia, cuda",
  })
  void hsa_isTakenWhereAmdsHipIsNot(String installed, String withDevices, String chosen)
      throws IOException {
    Path hsa = root.resolve("opt/rocm/lib/libhsa-runtime64.so.1");
    Files.createDirectories(hsa.getParent());
    Files.copy(StandIn.build(StandIn.Version.HSA_6_4).library(), hsa);
    if (installed.contains("amd")) {
      CCompiler.runtime(amd, 60443484);
    }
    if (installed.contains("nvidia")) {
      CCompiler.cudaDriver(nvidia, 13000);
    }

    Search search = search(withDevices, Map.of());

    assertThat(search.library().orElseThrow().kind()).hasToString(chosen);
    if (chosen.equals("hsa")) {
      assertThat(search.attempts()).anyMatch(attempt -> attempt.contains("amdhip64"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "nvidiactl,     nvidia",
    "kfd,           amd",
    "kfd nvidiactl, amd",
    "'',            amd",
  })
  void bothWithoutADevice_areJudgedByTheDriverThatIsThere(String drivers, String chosen)
      throws IOException {
    CCompiler.runtime(amd, 60443484);
    CCompiler.cudaDriver(nvidia, 13000);
    install(drivers);

    assertThat(search("", Map.of()).library().orElseThrow().platform()).hasToString(chosen);
  }

  @ParameterizedTest
  @CsvSource({
    "nvidiactl, libcuda.so.1, install NVIDIA's driver",
    "kfd,       amdhip64,     install ROCm's HIP runtime"
  })
  void neither_isSaidOfThePlatformWhoseDriverIsThere(String driver, String library, String remedy)
      throws IOException {
    install(driver);

    Search search = search("", Map.of());

    assertThat(search.attempts())
        .anyMatch(attempt -> attempt.contains(library))
        .noneMatch(attempt -> attempt.contains(driver.equals("kfd") ? "libcuda" : "amdhip64"));
    assertThat(search.remedy()).isEqualTo(remedy + ", or name its library in KCACHE_HIP_LIBRARY");
  }

  private void install(String drivers) throws IOException {
    Path devices = Files.createDirectory(root.resolve("dev"));
    for (String driver : drivers.split(" ", -1)) {
      if (!driver.isEmpty()) {
        Files.createFile(devices.resolve(driver));
      }
    }
  }

  /** To ask a runtime for its devices is to start it. */
  @Test
  void devices_areAskedForOnlyWhereBothAreThere() {
    CCompiler.runtime(amd, 60443484);
    search("", Map.of());
    assertThat(asked).isEmpty();

    CCompiler.cudaDriver(nvidia, 13000);
    search("amd", Map.of());
    assertThat(asked).containsExactly("amd");
  }

  @Test
  void neither_saysWhatWasTriedForBothInOneLine() {
    Search search = search("", Map.of());

    assertThat(search.attempts())
        .anyMatch(attempt -> attempt.contains("amdhip64"))
        .anyMatch(attempt -> attempt.contains("libhsa-runtime64.so.1"))
        .contains(root + "/opt/rocm: does not exist")
        .anyMatch(attempt -> attempt.contains("libcuda.so.1"));
    assertThat(search.remedy())
        .isEqualTo(
            "install ROCm's HIP runtime or NVIDIA's driver, or name its library in KCACHE_HIP_LIBRARY");
  }

  @Test
  void oneThatIsNamed_isTheOnlyOneThatIsTriedFor() {
    assertThat(search("", Map.of("HIP_PLATFORM", "nvidia")).attempts())
        .allMatch(attempt -> attempt.contains("libcuda.so.1"));
    assertThat(search("", Map.of("HIP_PLATFORM", "amd")).remedy())
        .isEqualTo("install ROCm's HIP runtime, or name its library in KCACHE_HIP_LIBRARY");
  }
}
