// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The command with sources that are not HIP; what compiles them is a stand-in. */
class LanguageCommandTest extends CommandTestBase {
  private Path ir;
  private Path assembly;

  @BeforeEach
  void writeSources() throws IOException {
    ir = Files.writeString(directory.resolve("k.ll"), "define amdgpu_kernel void @k() {}\n");
    assembly = Files.writeString(directory.resolve("k.s"), ".amdhsa_kernel k\n");
  }

  @Test
  void prewarm_compilesEachLanguageOnceAndThenHits() {
    assertThat(succeeds("prewarm", ir, assembly, "--arch", "gfx90a").out())
        .contains("0 hits, 2 compiled");
    assertThat(succeeds("prewarm", ir, assembly, "--arch", "gfx90a").out())
        .contains("2 hits, 0 compiled");
    assertThat(command.toolchain.jobs)
        .extracting(job -> job.source().language().text())
        .containsExactlyInAnyOrder("llvm-ir", "assembly");
  }

  @Test
  void trace_isPrewarmedInItsLanguages() {
    Path trace = directory.resolve("trace");
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", directory.resolve("application").toString()))
            .toolchain(command.toolchain)
            .traceTo(trace)
            .build()) {
      cache.getOrCompile(KernelSource.read(ir), Fixtures.GFX90A);
      cache.getOrCompile(KernelSource.read(assembly), Fixtures.GFX90A);
    }

    assertThat(succeeds("prewarm", "--manifest", trace).out()).contains("0 hits, 2 compiled");
    assertThat(succeeds("prewarm", "--manifest", trace).out()).contains("2 hits, 0 compiled");
  }

  @Test
  void optionOfHip_isAMistakeInTheRequest() {
    assertThat(ends(ExitCode.USAGE, "prewarm", ir, "-DN=4", "--arch", "gfx90a").err())
        .contains("k.ll: option -DN=4 is not for LLVM IR, which takes -O, -mllvm and options");
    assertThat(ends(ExitCode.USAGE, "prewarm", ir, "-I", directory, "--arch", "gfx90a").err())
        .contains("k.ll: LLVM IR includes nothing; leave headers and include directories out");
    assertThat(command.toolchain.jobs).isEmpty();
  }

  @Test
  void optionOfHip_inAManifest_isToldWithItsPlace() throws IOException {
    Path manifest =
        Files.writeString(
            directory.resolve("m.json"),
            """
            {"schema": "kcache.manifest/1", "targets": ["gfx90a"], "kernels": [
              {"source": "k.ll", "options": ["-std=c++20"]}]}
            """);

    assertThat(ends(ExitCode.USAGE, "prewarm", "--manifest", manifest).err())
        .contains("m.json:2:14: ")
        .contains("k.ll: option -std=c++20 is not for LLVM IR");
  }

  @Test
  void assemblyWithoutAKernel_isToldBeforeTheCompile() throws IOException {
    Files.writeString(assembly, "s_nop 0\n");

    assertThat(succeeds("prewarm", assembly, "--arch", "gfx90a").err())
        .contains("k.s has no kernel, no .amdhsa_kernel");
  }

  @Test
  void compilerWithoutTheLanguage_isWhatTheMachineLacks() {
    command.toolchain.languages = Set.of(Language.HIP);

    assertThat(ends(ExitCode.UNAVAILABLE, "prewarm", ir, "--arch", "gfx90a").err())
        .contains("k.ll: no compiler here compiles LLVM IR for gfx90a: not ");
  }

  @Test
  void key_hasTheLanguage() {
    assertThat(succeeds("key", ir, "--arch", "gfx90a", "--fields").out())
        .contains("text llvm-ir\ntext k.ll\n");
  }
}
