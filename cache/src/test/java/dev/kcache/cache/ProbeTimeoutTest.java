// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tools that are asked something and never answer. */
@Timeout(40)
class ProbeTimeoutTest {
  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");

  @TempDir private Path directory;
  private Path bin;

  @BeforeEach
  void makeTools() throws IOException {
    bin = Files.createDirectory(directory.resolve("bin"));
  }

  @ParameterizedTest
  @CsvSource({"KCACHE_HIPCC, hipcc, gfx90a", "KCACHE_NVCC, nvcc, sm_90"})
  void compiler_neverTellsItsVersion_isEndedAtTheCompilesTimeout(
      String variable, String name, String target) throws IOException {
    Path program = script(name, "echo hello; sleep 600");
    Map<String, String> environment = Map.of(variable, program.toString(), "PATH", "/usr/bin:/bin");

    try (CacheManager cache = manager(environment)) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, TargetId.parse(target)))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith(
              program
                  + ": it did not end within 1 s and was ended; its log begins \"hello\"; allow it"
                  + " more time with --timeout or compileTimeout, or repair it, ");
    }
  }

  @Test
  void compiler_neverTellsItsCommands_isEndedAtTheCompilesTimeout() throws IOException {
    Path program =
        script(
            "hipcc",
            "case \"$*\" in *--version*) echo 'HIP version: 6.1.40091-0';; *) sleep 600;; esac");
    Map<String, String> environment =
        Map.of("KCACHE_HIPCC", program.toString(), "PATH", "/usr/bin:/bin");

    try (CacheManager cache = manager(environment)) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, TargetId.parse("gfx90a")))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith(
              program
                  + ": it did not end within 1 s and was ended; it said nothing; allow it more time"
                  + " with --timeout or compileTimeout, or repair it, ");
    }
  }

  @ParameterizedTest
  @CsvSource({"amd, rocminfo", "nvidia, nvidia-smi"})
  void deviceTool_neverEnds_isEndedAtTheCompilesTimeout(String platform, String name)
      throws IOException {
    Path program = script(name, "sleep 600");
    Map<String, String> environment =
        Map.of("HIP_PLATFORM", platform, "PATH", bin + ":/usr/bin:/bin");

    try (CacheManager cache = manager(environment)) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE))
          .isInstanceOf(TargetDetectionException.class)
          .hasMessageContaining(program + " did not end within 1 s and was ended");
    }
  }

  private CacheManager manager(Map<String, String> environment) {
    return CacheManager.builder()
        .environment(environment)
        .directory(directory.resolve("cache"))
        .compileTimeout(Duration.ofSeconds(1))
        .build();
  }

  private Path script(String name, String body) throws IOException {
    Path file = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + body + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
