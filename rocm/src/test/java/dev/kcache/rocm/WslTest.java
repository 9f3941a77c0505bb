// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WslTest {
  private static final String KERNEL = "5.15.153.1-microsoft-standard-WSL2\n";

  @TempDir private Path root;

  @Test
  void otherMachine_isNone() throws IOException {
    assertThat(wsl(Map.of())).isEmpty();
    put("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    assertThat(wsl(Map.of())).isEmpty();
    put("dev/dxg", "");
    assertThat(wsl(Map.of())).isPresent();
    put("dev/kfd", "");
    assertThat(wsl(Map.of())).isEmpty();
  }

  @Test
  void container_isKnownByItsKernel_andToldWhatItLacks() throws IOException {
    put("proc/sys/kernel/osrelease", KERNEL);

    assertThat(wsl(Map.of()).orElseThrow().obstacle())
        .contains(
            "there is no /dev/dxg, by which WSL has Windows' GPUs; update WSL by 'wsl --update', or"
                + " give a container the GPU with --device=/dev/dxg -v /usr/lib/wsl:/usr/lib/wsl");
    put("dev/dxg", "");
    assertThat(wsl(Map.of()).orElseThrow().obstacle()).isEmpty();
  }

  @Test
  void bridge_isLookedForInRocmAndWithTheDriver() throws IOException {
    put("dev/dxg", "");
    assertThat(wsl(Map.of()).orElseThrow().bridge()).isEmpty();
    Path driver = put("usr/lib/wsl/lib/librocdxg.so", "");
    assertThat(wsl(Map.of()).orElseThrow().bridge()).contains(driver);
    Path rocm = put("opt/rocm-7.2.1/lib/librocdxg.so.1", "");
    assertThat(wsl(Map.of()).orElseThrow().bridge()).contains(rocm);
    Path named = put("mine/lib/librocdxg.so", "");
    assertThat(wsl(Map.of("ROCM_PATH", root + "/mine")).orElseThrow().bridge()).contains(named);
  }

  @Test
  void advice_namesTheNextThing() throws IOException {
    put("dev/dxg", "");
    assertThat(advice(Map.of()))
        .isEqualTo(
            "install ROCm for WSL, whose librocdxg is in no ROCm and not in /usr/lib/wsl/lib, and"
                + " AMD's driver on Windows");
    put("opt/rocm/lib/librocdxg.so", "");
    assertThat(advice(Map.of("HSA_ENABLE_DXG_DETECTION", "0")))
        .isEqualTo(
            "set HSA_ENABLE_DXG_DETECTION=1, which a ROCm before 7.13 needs, and update AMD's"
                + " driver on Windows");
    assertThat(advice(Map.of("HSA_ENABLE_DXG_DETECTION", "1")))
        .isEqualTo("update AMD's driver on Windows");
  }

  private String advice(Map<String, String> environment) {
    return wsl(environment).orElseThrow().advice();
  }

  private Optional<Wsl> wsl(Map<String, String> environment) {
    return Wsl.of(new Environment(environment), root);
  }

  private Path put(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }
}
