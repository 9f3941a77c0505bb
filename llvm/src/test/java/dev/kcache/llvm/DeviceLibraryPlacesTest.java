// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.rocm.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the embedded compilers look for ROCm's device library. */
class DeviceLibraryPlacesTest {
  @TempDir Path root;

  @Test
  void nowhere_isNone() {
    assertThat(find(Map.of())).isEmpty();
  }

  /** Each comes before those that were installed earlier in this test. */
  @Test
  void places_areTriedInOrder() throws IOException {
    assertFoundIn(install("usr/lib/llvm-9/lib/clang/9"));
    assertFoundIn(install("usr/lib/aarch64-linux-gnu"));
    assertFoundIn(install("opt/rocm-6.4.1"));
    assertFoundIn(install("opt/rocm-6.10.0"));
    assertFoundIn(install("opt/rocm"));
  }

  @Test
  void variables_goFirst() throws IOException {
    install("opt/rocm");
    Path rocm = install("elsewhere");
    Map<String, String> variables = Map.of("ROCM_PATH", root.resolve("elsewhere").toString());

    assertThat(find(variables)).contains(new DeviceLibrary(rocm));
    assertThat(find(Map.of("HIP_DEVICE_LIB_PATH", root.resolve("missing").toString()))).isEmpty();
  }

  private void assertFoundIn(Path directory) {
    assertThat(find(Map.of())).contains(new DeviceLibrary(directory));
  }

  private Optional<DeviceLibrary> find(Map<String, String> variables) {
    return DeviceLibrary.find(new Environment(variables), root);
  }

  private Path install(String home) throws IOException {
    Path directory = Files.createDirectories(root.resolve(home).resolve("amdgcn/bitcode"));
    Files.createFile(directory.resolve("ocml.bc"));
    return directory;
  }
}
