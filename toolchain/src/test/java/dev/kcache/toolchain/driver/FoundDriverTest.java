// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where nvcc is looked for, and what is said of drivers that are not there. */
class FoundDriverTest {
  @TempDir Path directory;

  @Test
  void nvcc_everyPlaceFilled_isTheFirst() throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put("KCACHE_NVCC", nvcc("named").toString());
    environment.put("CUDA_HOME", nvcc("cuda-home/bin").getParent().getParent().toString());
    environment.put("CUDA_PATH", nvcc("cuda-path/bin").getParent().getParent().toString());
    environment.put("PATH", nvcc("on-path").getParent().toString());
    nvcc("usr/local/cuda/bin");
    nvcc("usr/local/cuda-13.0/bin");

    assertThat(find(Platform.NVIDIA, environment)).isEqualTo(directory.resolve("named/nvcc"));
    environment.put("KCACHE_NVCC", "");
    assertThat(find(Platform.NVIDIA, environment))
        .isEqualTo(directory.resolve("cuda-home/bin/nvcc"));
    environment.remove("CUDA_HOME");
    assertThat(find(Platform.NVIDIA, environment))
        .isEqualTo(directory.resolve("cuda-path/bin/nvcc"));
    environment.remove("CUDA_PATH");
    assertThat(find(Platform.NVIDIA, environment)).isEqualTo(directory.resolve("on-path/nvcc"));
    environment.put("PATH", "/nowhere");
    assertThat(find(Platform.NVIDIA, environment))
        .isEqualTo(directory.resolve("usr/local/cuda/bin/nvcc"));
  }

  @Test
  void executorThatNothingSpeaksTo_isToldWithWhatAddsIt() {
    try (Toolchains all = withExecutor("grpc://localhost");
        Toolchains wrong = withExecutor("localhost")) {
      assertThatThrownBy(() -> wrong.of(Platform.AMD))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "KCACHE_EXECUTOR holds no address of a server that runs commands; write it like"
                  + " grpc://HOST[:PORT][/INSTANCE] or grpcs://…");
      assertThatThrownBy(() -> all.of(Platform.AMD))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "nothing here speaks to the executor that KCACHE_EXECUTOR or --executor names; add"
                  + " the artifact dev.kcache:kcache-reapi, to the command by 'mvn -f"
                  + " kcache-*/share/engine.xml -Dengine=reapi dependency:copy-dependencies', or"
                  + " name none");
    }
  }

  private Toolchains withExecutor(String address) {
    Map<String, String> environment = Map.of("KCACHE_EXECUTOR", address);
    ToolchainContext context =
        new ToolchainContext(
            environment,
            () -> directory,
            Optional::empty,
            Optional.empty(),
            false,
            Duration.ofMinutes(1));
    return new Toolchains(null, null, null, environment, () -> context);
  }

  @Test
  void nvcc_severalReleases_isTheNewestByNumber() throws IOException {
    nvcc("usr/local/cuda-12.9/bin");
    nvcc("usr/local/cuda-13.0/bin");
    nvcc("usr/local/cuda-9.2/bin");
    Files.createDirectories(directory.resolve("usr/local/cuda-14.0/bin"));

    assertThat(find(Platform.NVIDIA, Map.of("PATH", "/nowhere")))
        .isEqualTo(directory.resolve("usr/local/cuda-13.0/bin/nvcc"));
  }

  @Test
  void relativeEntryOfPath_isNotSearched() {
    assertThat(new Environment(Map.of("PATH", ".:/usr/bin::x:/bin")).searchPath())
        .containsExactly(Path.of("/usr/bin"), Path.of("/bin"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "AMD    | ROCM_PATH | no hipcc in /r/bin, PATH, ~/opt/rocm*/bin, and no amdclang++; install"
            + " ROCm's compiler (Debian, Ubuntu: apt install hipcc) or set KCACHE_COMPILER to its"
            + " path",
        "NVIDIA | CUDA_HOME | no nvcc in /r/bin, PATH, ~/usr/local/cuda*/bin; install NVIDIA's CUDA"
            + " toolkit or set KCACHE_NVCC to its path",
      })
  void nowhere_isToldWithWhatToInstall(Platform platform, String variable, String message) {
    assertThatThrownBy(() -> find(platform, Map.of("PATH", "/nowhere", variable, "/r")))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(message.replace("~", directory.toString()));
  }

  @ParameterizedTest
  @CsvSource({
    "AMD, KCACHE_HIPCC, a hipcc or amdclang++",
    "AMD, KCACHE_COMPILER, a hipcc or amdclang++",
    "NVIDIA, KCACHE_NVCC, nvcc"
  })
  void variableThatNamesNoProgram_isToldByItsName(Platform platform, String variable, String what)
      throws IOException {
    Path text = Files.createFile(directory.resolve("text"));

    assertThatThrownBy(() -> find(platform, Map.of(variable, text.toString())))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            variable + "=" + text + ": not an executable file; set it to the path of " + what);
  }

  @Test
  void variableThatNamesAScriptWithoutItsWheel_saysWhatToInstall() throws IOException {
    Path script = Script.write(directory.resolve("venv/bin/hipcc"), "from rocm_sdk_core import x");

    assertThatThrownBy(() -> find(Platform.AMD, Map.of("KCACHE_COMPILER", script.toString())))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            "KCACHE_COMPILER=%1$s: its environment has a script of a ROCm wheel, %1$s, but not the wheel; pip install --force-reinstall 'rocm[devel]'"
                .formatted(script));
  }

  private Path find(Platform platform, Map<String, String> environment) {
    return FoundDriver.find(DriverKind.of(platform), new Environment(environment), directory)
        .program();
  }

  private Path nvcc(String place) throws IOException {
    return Script.write(directory.resolve(place).resolve("nvcc"), "exit 0");
  }
}
