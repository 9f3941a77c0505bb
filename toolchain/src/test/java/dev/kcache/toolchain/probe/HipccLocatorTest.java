// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Environment;
import dev.kcache.toolchain.Installations;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HipccLocatorTest {
  @TempDir Path directory;

  @Test
  void locate_everyPlaceFilled_takesThemInOrder() throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put("KCACHE_HIPCC", hipcc("named").toString());
    environment.put("ROCM_PATH", hipcc("rocm-path/bin").getParent().getParent().toString());
    environment.put("HIP_PATH", hipcc("hip-path/bin").getParent().getParent().toString());
    environment.put("PATH", hipcc("on-path").getParent().toString());
    hipcc("opt/rocm/bin");
    hipcc("opt/rocm-6.4.0/bin");

    assertThat(locate(environment)).isEqualTo(directory.resolve("named/hipcc"));
    environment.put("KCACHE_HIPCC", "");
    assertThat(locate(environment)).isEqualTo(directory.resolve("rocm-path/bin/hipcc"));
    environment.remove("ROCM_PATH");
    assertThat(locate(environment)).isEqualTo(directory.resolve("hip-path/bin/hipcc"));
    environment.remove("HIP_PATH");
    assertThat(locate(environment)).isEqualTo(directory.resolve("on-path/hipcc"));
    environment.put("PATH", "/nowhere");
    assertThat(locate(environment)).isEqualTo(directory.resolve("opt/rocm/bin/hipcc"));
  }

  @Test
  void locate_severalReleases_takesTheNewestByNumber() throws IOException {
    hipcc("opt/rocm-6.4.1/bin");
    hipcc("opt/rocm-6.10.0/bin");
    hipcc("opt/rocm-6.4/bin");
    Files.createDirectories(directory.resolve("opt/rocm-7.0.0/bin"));

    assertThat(locate(Map.of("PATH", "/nowhere")))
        .isEqualTo(directory.resolve("opt/rocm-6.10.0/bin/hipcc"));
  }

  @Test
  void locate_relativePathEntry_isNotSearched() {
    assertThat(new Environment(Map.of("PATH", ".:/usr/bin::x:/bin")).searchPath())
        .containsExactly(Path.of("/usr/bin"), Path.of("/bin"));
  }

  @Test
  void locate_nowhere_saysWhatWasSearchedAndHowToInstall() {
    assertThatThrownBy(() -> locate(Map.of("PATH", "/nowhere", "ROCM_PATH", "/r")))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            "no hipcc in /r/bin, PATH, "
                + directory
                + "/opt/rocm*/bin; install ROCm's compiler (Debian, Ubuntu: apt install hipcc) or"
                + " set KCACHE_COMPILER to its path");
  }

  @Test
  void locate_namedFileIsNoProgram_namesTheVariable() throws IOException {
    Path text = Files.createFile(directory.resolve("text"));

    assertThatThrownBy(() -> locate(Map.of("KCACHE_HIPCC", text.toString())))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            "KCACHE_HIPCC="
                + text
                + ": not an executable file; set it to the path of a hipcc or amdclang++");
  }

  private Path locate(Map<String, String> environment) {
    Environment variables = new Environment(environment);
    Installations directories = Installations.rocm(variables, directory.resolve("opt"));
    DriverLocator locator = DriverLocator.of(Platform.AMD, variables, directories);
    return locator
        .named()
        .or(() -> locator.find("hipcc"))
        .orElseThrow(() -> locator.notFound("hipcc"));
  }

  private Path hipcc(String place) throws IOException {
    return Script.write(directory.resolve(place).resolve("hipcc"), "exit 0");
  }
}
