// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
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
  void name() {
    bin = directory.resolve("bin");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hipcc | gfx90a | echo hello; sleep 600 | its log begins \"hello\"",
        "nvcc | sm_90 | echo hello; sleep 600 | its log begins \"hello\"",
        "hipcc | gfx90a | case \"$*\" in *--version*) echo HIP version: 6.1.40091-0;; *) sleep 600;; esac"
            + " | it said nothing"
      })
  void compiler_neverTellsItsVersionOrCommands_isEndedAtTheCompilesTimeout(
      String name, String target, String body, String log) throws IOException {
    Path program = Script.write(bin.resolve(name), body);
    String variable = "KCACHE_" + name.toUpperCase(Locale.ROOT);
    Map<String, String> environment = Map.of(variable, program.toString(), "PATH", "/usr/bin:/bin");

    try (CacheManager cache = manager(environment)) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, TargetId.parse(target)))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith(
              program
                  + ": it did not end within 1 s and was ended; "
                  + log
                  + "; allow it more time with --timeout or compileTimeout, or repair it, ");
    }
  }

  @ParameterizedTest
  @CsvSource({"amd, rocminfo", "nvidia, nvidia-smi"})
  void deviceTool_neverEnds_isEndedAtTheCompilesTimeout(String platform, String name)
      throws IOException {
    Path program = Script.write(bin.resolve(name), "sleep 600");
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
}
