// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.rocm.Environment;
import dev.kcache.rocm.Wsl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WslCheckTest {
  @TempDir private Path root;
  private Path device;

  @BeforeEach
  void createDevice() throws IOException {
    device = create("dev/dxg");
    Files.writeString(create("proc/sys/kernel/osrelease"), "5.15.1-microsoft-standard-WSL2");
  }

  @Test
  void libraryAndDevice_areWell() throws IOException {
    Path library = create("opt/rocm/lib/librocdxg.so.1");

    assertThat(check(Optional.empty()))
        .isEqualTo(Check.ok("dxg", "Windows' GPUs are behind /dev/dxg, ROCm has " + library));
  }

  @Test
  void noLibrary_isANoteWithWhatToInstall() {
    assertThat(check(Optional.empty()))
        .isEqualTo(
            Check.note(
                "dxg",
                "to launch on AMD's GPU behind /dev/dxg install ROCm for WSL, whose librocdxg is in"
                    + " no ROCm and not in /usr/lib/wsl/lib, and AMD's driver on Windows"));
  }

  @Test
  void deniedDevice_needsNoGroup() {
    assertThat(check(Optional.of("Permission denied")))
        .isEqualTo(
            Check.warn(
                "dxg",
                "this user may not open /dev/dxg: Permission denied",
                "WSL lets everybody: end it by 'wsl --shutdown' in a terminal of Windows, start it"
                    + " again"));
  }

  @Test
  void noDevice_isANote() throws IOException {
    Files.delete(device);

    Check check = check(Optional.empty());
    assertThat(check.status()).isEqualTo(Check.Status.NOTE);
    assertThat(check.detail()).startsWith("there is no /dev/dxg, by which WSL has Windows' GPUs;");
    assertThat(RuntimeChecks.tellsNoAmdDriver(check.detail())).isTrue();
  }

  private Check check(Optional<String> denial) {
    Wsl wsl = Wsl.of(new Environment(Map.of()), root).orElseThrow();
    return WslCheck.of(
        wsl,
        root,
        file -> {
          assertThat(file).isEqualTo(device);
          return denial;
        });
  }

  private Path create(String name) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.createFile(file);
  }
}
