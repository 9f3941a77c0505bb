// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.Toolchains;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Variables that lead to no compiler, and those with flags that it is not given. */
class CompilerVariablesTest {
  private static final TargetId TARGET = TargetId.parse("gfx90a");
  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");
  private static final KernelSource OTHER =
      KernelSource.of("o.hip", "extern \"C\" __global__ void o() {}\n");

  @TempDir private Path directory;
  private Path missing;

  @BeforeEach
  void forgetWarnings() {
    Notices.clear();
    missing = directory.resolve("missing");
  }

  @ParameterizedTest
  @CsvSource({
    "ROCM_PATH, gfx90a",
    "HIP_PATH, gfx90a",
    "HIP_CLANG_PATH, gfx90a",
    "HIP_DEVICE_LIB_PATH, gfx90a",
    "DEVICE_LIB_PATH, gfx90a",
    "CUDA_HOME, sm_90",
    "CUDA_PATH, sm_90"
  })
  void directoryThatIsMissing_isNamedWhereACompilerIsNeeded(String variable, String target) {
    try (CacheManager cache = manager(Map.of(variable, missing.toString()))) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, TargetId.parse(target)))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              variable + "=" + missing + ": there is no such directory; correct it or unset it");
    }
  }

  @ParameterizedTest
  @CsvSource({"ROCM_PATH", "HIP_CLANG_PATH", "KCACHE_HIPCC"})
  void placeThatIsMissing_leavesHitsOfTheVersionThatIsSet(String variable) {
    String version;
    try (CacheManager cache = manager(Map.of())) {
      CodeObject unused = cache.getOrCompile(SOURCE, TARGET);
      version = cache.maintenance().entries().get(0).label().toString();
    }

    try (CacheManager cache =
        manager(Map.of(variable, missing.toString(), "ROCM_VERSION", version))) {
      assertThat(cache.resolveAsync(SOURCE, TARGET).join().origin()).isEqualTo(Origin.DISK);
      assertThatThrownBy(() -> cache.getOrCompile(OTHER, TARGET))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith(variable + "=" + missing + ": ");
    }
  }

  @Test
  void flagsOfAVariable_areNotPassedOn_whichIsToldOnceAProcess() throws IOException {
    Path marker = directory.resolve("environment");
    Path hipcc =
        Script.write(
            directory.resolve("hipcc"), "env >>" + marker + "\nexec /usr/bin/env hipcc \"$@\"");
    Map<String, String> variables =
        Map.of("KCACHE_HIPCC", hipcc.toString(), "HIPCC_COMPILE_FLAGS_APPEND", "-DFROM_VARIABLE");

    try (Warnings warnings = Warnings.of(Toolchains.class)) {
      for (KernelSource source : new KernelSource[] {SOURCE, OTHER}) {
        try (CacheManager cache = manager(variables)) {
          CodeObject unused = cache.getOrCompile(source, TARGET);
        }
      }
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .endsWith(
              "HIPCC_COMPILE_FLAGS_APPEND='-DFROM_VARIABLE': not passed to the compiler; give a"
                  + " kernel options with --option or withOptions");
    }
    assertThat(marker).content().doesNotContain("FROM_VARIABLE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"foo", "AMD"})
  void platformThatIsNone_hasNoCompiler(String platform) {
    try (CacheManager cache = manager(Map.of("HIP_PLATFORM", platform))) {
      for (Platform each : Platform.values()) {
        assertThatThrownBy(() -> cache.toolchain(each))
            .isInstanceOf(ToolchainNotFoundException.class)
            .hasMessage(
                "HIP_PLATFORM='"
                    + platform
                    + "' is neither amd nor nvidia; correct it or unset it");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"amd", "hcc", "nvidia", "nvcc", ""})
  void platformByAnyOfItsNames_leavesTheCompilerOfATarget(String platform) {
    try (CacheManager cache = manager(Map.of("HIP_PLATFORM", platform))) {
      assertThat(cache.toolchain(Platform.AMD)).isNotNull();
    }
  }

  private CacheManager manager(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(Map.of("PATH", System.getenv("PATH")));
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    environment.putAll(more);
    return CacheManager.builder().environment(environment).build();
  }
}
