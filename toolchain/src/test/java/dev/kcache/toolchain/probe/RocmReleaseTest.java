// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The HIP SDK for Windows, which has no file with ROCm's release. */
class RocmReleaseTest {
  @TempDir Path directory;
  private Path sdk;

  @BeforeEach
  void makeAnSdk() throws IOException {
    sdk = Files.createDirectories(directory.toRealPath().resolve("AMD/ROCm/6.4"));
    Files.createDirectories(sdk.resolve("bin"));
    Files.createFile(sdk.resolve("bin/hipcc.exe"));
    Files.createDirectories(sdk.resolve("include/hip"));
    Files.writeString(
        sdk.resolve("include/hip/hip_version.h"),
        "#define HIP_VERSION_MAJOR 6\r\n#define HIP_VERSION_MINOR 4\r\n#define HIP_VERSION_PATCH 43480\r\n");
  }

  @Test
  void release_ofAnSdk_isTheNameOfItsDirectory() {
    RocmRelease release = RocmRelease.of(sdk.resolve("bin/hipcc.exe"), Map.of());

    assertThat(release.root()).contains(sdk);
    assertThat(release.rocm()).contains("6.4");
    assertThat(release.hip()).contains("6.4.43480");
    assertThat(release.version("").orElseThrow().label()).hasToString("6.4");
  }

  @Test
  void release_ofAnotherDirectory_isThatOfHip() throws IOException {
    Path moved = Files.move(sdk, directory.resolve("6.4"));

    RocmRelease release = RocmRelease.of(moved.resolve("bin/hipcc.exe"), Map.of());
    assertThat(release.rocm()).isEmpty();
    assertThat(release.hip()).contains("6.4.43480");
  }

  @Test
  void release_ofADirectoryWithoutAVersion_isThatOfHip() throws IOException {
    Path current = Files.move(sdk, sdk.resolveSibling("current"));

    assertThat(RocmRelease.of(current.resolve("bin/hipcc.exe"), Map.of()).rocm()).isEmpty();
  }
}
