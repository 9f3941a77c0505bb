// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.FakeHipcc;
import dev.kcache.toolchain.standin.FakeNvcc;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One cache for both platforms, whose compilers are found by themselves. */
class PlatformsTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final TargetId SM_90 = TargetId.parse("sm_90");
  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");

  @TempDir Path directory;
  private FakeHipcc hipcc;
  private FakeNvcc nvcc;

  @BeforeEach
  void make() throws IOException {
    hipcc = new FakeHipcc(directory.resolve("rocm"));
    Path elf = Files.write(directory.resolve("elf"), resource("/elf/gfx90a.elf"));
    hipcc.compilesWith(
        "for main; do :; done; echo \"x: $main\" >../out.d; cat " + elf + " >../out.co");
    nvcc =
        new FakeNvcc(directory.resolve("toolkit")).makes(resource("/nvidia/kernels-sm_90.cubin"));
  }

  @Test
  void oneManager_servesBothSideBySide() throws IOException {
    try (CacheManager cache = manager(Map.of())) {
      assertThat(cache.getOrCompile(SOURCE, GFX90A).target()).isEqualTo(GFX90A);
      assertThat(cache.getOrCompile(SOURCE, SM_90).target()).isEqualTo(SM_90);
      assertThat(cache.getIfPresent(SOURCE, TargetId.parse("sm_90a"))).isEmpty();
      assertThat(cache.toolchain(Platform.AMD).label()).isEqualTo(new ToolchainLabel("6.1"));
      assertThat(cache.toolchain(Platform.NVIDIA).label())
          .isEqualTo(new ToolchainLabel("cuda13.0"));
      assertThat(cache.maintenance().entries())
          .extracting(entry -> entry.target() + " " + entry.label())
          .containsExactlyInAnyOrder("gfx90a 6.1", "sm_90 cuda13.0");
    }
    assertThat(root().resolve("sm_90-cuda13.0")).isDirectory();
    try (CacheManager later = manager(Map.of())) {
      for (TargetId target : List.of(GFX90A, SM_90)) {
        assertThat(later.resolveAsync(SOURCE, target).join().origin()).isEqualTo(Origin.DISK);
      }
    }
  }

  @Test
  void target_needsOnlyTheCompilerOfItsPlatform() throws IOException {
    Files.delete(hipcc.root.resolve("bin/hipcc"));
    try (CacheManager cache = manager(Map.of("KCACHE_HIPCC", ""))) {
      assertThat(cache.getOrCompile(SOURCE, SM_90).target()).isEqualTo(SM_90);
    }
    hipcc.compilesWith("exit 1");
    assertThat(hipcc.runs()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"CUDA_VERSION", "KCACHE_CUDA_VERSION"})
  void configuredVersion_findsWithoutAnyCompiler(String variable) {
    try (CacheManager cache = manager(Map.of())) {
      cache.getOrCompile(SOURCE, SM_90);
    }
    try (CacheManager bare = bare(Map.of(variable, "13.0.1", "ARCH", "sm_90"))) {
      assertThat(bare.getOrCompile(SOURCE).target()).isEqualTo(SM_90);
      assertThat(bare.configuredLabel(Platform.NVIDIA)).contains(new ToolchainLabel("cuda13.0"));
      assertThat(bare.configuredLabel(Platform.AMD)).isEmpty();
    }
    try (CacheManager other = bare(Map.of(variable, "12.9"))) {
      assertThat(other.getIfPresent(SOURCE, SM_90)).isEmpty();
      assertThatThrownBy(() -> other.getOrCompile(SOURCE, SM_90))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage("no compiler anywhere");
    }
  }

  @Test
  void configuredVersionThatContradictsNvcc_isRefusedForItsTargetsOnly() {
    try (CacheManager cache = manager(Map.of("CUDA_VERSION", "12.9.1"))) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, SM_90))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "CUDA_VERSION=12.9.1 contradicts "
                  + nvcc.root
                  + "/bin/nvcc, which is CUDA 13.0.88; unset the variable or set KCACHE_NVCC to the"
                  + " nvcc of that version");
      assertThat(cache.getOrCompile(SOURCE, GFX90A).target()).isEqualTo(GFX90A);
    }
  }

  @Test
  void cudaVersionThatIsNone_troublesOnlyThoseWhoNeedIt() {
    try (CacheManager cache = manager(Map.of("CUDA_VERSION", "local"))) {
      assertThat(cache.getOrCompile(SOURCE, GFX90A).target()).isEqualTo(GFX90A);
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, SM_90))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("CUDA_VERSION=local: ");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90a,  auto,   gfx90a",
    "gfx1100, auto,   gfx1100 or gfx11-generic",
    "gfx1100, sealed, gfx1100 or gfx11-generic",
    "sm_90,   sealed, sm_90",
  })
  void neitherCompilerNorEntry_saysWhatToPrewarm(String target, String policy, String prewarmed) {
    try (CacheManager cache = bare(Map.of("KCACHE_POLICY", policy, "ARCH", target))) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage("no compiler anywhere; or prewarm the cache for " + prewarmed);
    }
  }

  private CacheManager manager(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(hipcc.environment(Map.of()));
    environment.put("KCACHE_NVCC", nvcc.root.resolve("bin/nvcc").toString());
    environment.put("PATH", nvcc.root.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("KCACHE_DIR", root().toString());
    environment.putAll(more);
    return CacheManager.builder().environment(environment).build();
  }

  /** A manager on a machine without a compiler; this one may have one outside PATH. */
  private CacheManager bare(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("PATH", "/nonexistent");
    environment.put("KCACHE_DIR", root().toString());
    FakeToolchain absent = new FakeToolchain();
    absent.isAbsent = true;
    return CacheManager.builder().environment(environment).toolchain(absent).build();
  }

  private Path root() {
    return directory.resolve("cache");
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = PlatformsTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }
}
