// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NvccLocatorTest {
  @TempDir Path directory;

  @Test
  void locate_everyPlaceFilled_takesThemInOrder() throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put("KCACHE_NVCC", nvcc("named").toString());
    environment.put("CUDA_HOME", nvcc("cuda-home/bin").getParent().getParent().toString());
    environment.put("CUDA_PATH", nvcc("cuda-path/bin").getParent().getParent().toString());
    environment.put("PATH", nvcc("on-path").getParent().toString());
    nvcc("usr/local/cuda/bin");
    nvcc("usr/local/cuda-13.0/bin");

    assertThat(locate(environment)).isEqualTo(directory.resolve("named/nvcc"));
    environment.put("KCACHE_NVCC", "");
    assertThat(locate(environment)).isEqualTo(directory.resolve("cuda-home/bin/nvcc"));
    environment.remove("CUDA_HOME");
    assertThat(locate(environment)).isEqualTo(directory.resolve("cuda-path/bin/nvcc"));
    environment.remove("CUDA_PATH");
    assertThat(locate(environment)).isEqualTo(directory.resolve("on-path/nvcc"));
    environment.put("PATH", "/nowhere");
    assertThat(locate(environment)).isEqualTo(directory.resolve("usr/local/cuda/bin/nvcc"));
  }

  @Test
  void locate_severalReleases_takesTheNewestByNumber() throws IOException {
    nvcc("usr/local/cuda-12.9/bin");
    nvcc("usr/local/cuda-13.0/bin");
    nvcc("usr/local/cuda-9.2/bin");
    Files.createDirectories(directory.resolve("usr/local/cuda-14.0/bin"));

    assertThat(locate(Map.of("PATH", "/nowhere")))
        .isEqualTo(directory.resolve("usr/local/cuda-13.0/bin/nvcc"));
  }

  @Test
  void locate_nowhere_saysWhatWasSearchedAndHowToInstall() {
    assertThatThrownBy(() -> locate(Map.of("PATH", "/nowhere", "CUDA_HOME", "/r")))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            "no nvcc in /r/bin, PATH, "
                + directory
                + "/usr/local/cuda*/bin; install NVIDIA's CUDA toolkit or set KCACHE_NVCC to its path");
  }

  @Test
  void locate_namedFileIsNoProgram_namesTheVariable() throws IOException {
    Path text = Files.createFile(directory.resolve("text"));

    assertThatThrownBy(() -> locate(Map.of("KCACHE_NVCC", text.toString())))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage("KCACHE_NVCC=" + text + ": not an executable file; set it to the path of nvcc");
  }

  private Path locate(Map<String, String> environment) {
    Environment variables = new Environment(environment);
    return DriverLocator.of(Platform.NVIDIA, variables, directory).locate();
  }

  private Path nvcc(String place) throws IOException {
    return Script.write(directory.resolve(place).resolve("nvcc"), "exit 0");
  }
}
