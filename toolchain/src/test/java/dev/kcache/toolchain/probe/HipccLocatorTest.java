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
                + "/opt/rocm*/bin, and no amdclang++; install ROCm's compiler (Debian, Ubuntu: apt install hipcc) or"
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

  @Test
  void locate_rootWithoutHipcc_isItsAmdclang() throws IOException {
    Path amdclang = Script.write(directory.resolve("rocm/lib/llvm/bin/amdclang++"), "exit 0");
    Map<String, String> environment =
        Map.of("PATH", "/nowhere", "ROCM_PATH", directory.resolve("rocm").toString());

    assertThat(locate(environment)).isEqualTo(amdclang);
    Path hipcc = hipcc("rocm/bin");
    assertThat(locate(environment)).isEqualTo(hipcc);
  }

  @Test
  void locate_nothingUsable_saysWhatIsWrongWithWhatIsThere() throws IOException {
    Files.createDirectories(directory.resolve("opt"));
    Files.createSymbolicLink(directory.resolve("opt/rocm"), Path.of("rocm-6.1.0"));

    assertThatThrownBy(() -> locate(Map.of("PATH", "/nowhere")))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageContaining(
            "and no amdclang++; "
                + directory
                + "/opt/rocm is a link to rocm-6.1.0, which does not exist; repair the link, or"
                + " set ROCM_PATH; install ");
  }

  @Test
  void locate_namedScriptOfAWheelWithoutCompiler_saysWhatToInstall() throws IOException {
    Path script = Script.write(directory.resolve("venv/bin/hipcc"), "from rocm_sdk_core import x");

    assertThatThrownBy(() -> locate(Map.of("KCACHE_COMPILER", script.toString())))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            "KCACHE_COMPILER="
                + script
                + ": a script of a ROCm wheel that has no such program; pip install 'rocm[devel]'");
  }

  private Path locate(Map<String, String> environment) {
    Environment variables = new Environment(environment);
    return DriverLocator.of(Platform.AMD, variables, directory).locate();
  }

  private Path hipcc(String place) throws IOException {
    return Script.write(directory.resolve(place).resolve("hipcc"), "exit 0");
  }
}
