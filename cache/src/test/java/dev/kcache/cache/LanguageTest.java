// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sources that are not HIP. */
class LanguageTest extends CacheTestBase {
  private static final String IR =
      """
      target triple = "amdgcn-amd-amdhsa"
      define amdgpu_kernel void @k() { ret void }
      """;

  private static final String ASSEMBLY = ".amdhsa_kernel k\n.end_amdhsa_kernel\n";

  @BeforeEach
  void compileEverything() {
    toolchain.languages = EnumSet.allOf(Language.class);
  }

  @ParameterizedTest
  @CsvSource({
    "k.ll, LLVM_IR",
    "k.bc, LLVM_IR",
    "k.s, ASSEMBLY",
    "k.hip, HIP",
    "k.cu, HIP",
    "k.cpp, HIP",
    "k.ll.hip, HIP",
    "k, HIP"
  })
  void read_takesTheLanguageFromTheSuffix(String name, Language language) throws IOException {
    Path file = Files.writeString(temp.resolve(name), "__global__ void k() {}\n");

    KernelSource source = KernelSource.read(file);

    assertThat(source.language()).isEqualTo(language);
    assertThat(source.staged().language()).isEqualTo(language);
    assertThat(RequestKey.encoding(source, GFX90A).get(1)).isEqualTo("text " + language.text());
  }

  @Test
  void read_assemblyToBePreprocessed_isRefused() throws IOException {
    Path file = Files.writeString(temp.resolve("k.S"), ASSEMBLY);

    assertThatThrownBy(() -> KernelSource.read(file))
        .isInstanceOf(InvalidKernelSourceException.class)
        .hasMessage(
            "k.S: assembly that is to be preprocessed has no language here; preprocess it to a .s");
  }

  /** The same bytes under the same name. */
  @Test
  void language_isInTheKey() {
    Set<Digest> digests = new HashSet<>();
    for (KernelSource source :
        List.of(
            KernelSource.of("k", IR),
            KernelSource.llvmIr("k", IR).withOptions(CompileOptions.DEFAULT),
            KernelSource.assembly("k", IR))) {
      digests.add(source.digest());
    }

    assertThat(digests).hasSize(3);
    assertThat(KernelSource.llvmBitcode("k", IR.getBytes(UTF_8)).digest())
        .isEqualTo(KernelSource.llvmIr("k", IR).digest());
  }

  @Test
  void options_haveTheDefaultsOfTheLanguage() {
    KernelSource ir = KernelSource.llvmIr("k.ll", IR);
    KernelSource assembly = KernelSource.assembly("k.s", ASSEMBLY);

    assertThat(ir.options().arguments()).containsExactly("-O3");
    assertThat(assembly.options().arguments()).isEmpty();
    assertThat(ir.withOptions(CompileOptions.of("-O3")).digest()).isEqualTo(ir.digest());
    assertThat(ir.withOptions(ir.options()).digest()).isEqualTo(ir.digest());
    assertThat(ir.withOptions(CompileOptions.DEFAULT).digest()).isEqualTo(ir.digest());
    assertThat(assembly.withOptions(CompileOptions.of("-mcumode")).options().arguments())
        .containsExactly("-mcumode");
    assertThat(
            ir.withOptions(
                    CompileOptions.of(
                        "-mllvm", "--amdgpu-early-inline-all=true", "-O1", "-mcumode"))
                .options()
                .arguments())
        .containsExactly("-O1", "-mllvm", "-amdgpu-early-inline-all=true", "-mcumode");
  }

  @ParameterizedTest
  @CsvSource({
    "LLVM_IR, -DN=4",
    "LLVM_IR, -std=c++20",
    "LLVM_IR, -std=c++17",
    "ASSEMBLY, -std=c++17",
    "ASSEMBLY, -O3",
    "LLVM_IR, -Wall",
    "LLVM_IR, -g",
    "LLVM_IR, -ffast-math",
    "ASSEMBLY, -O2",
    "ASSEMBLY, -DN=4",
    "ASSEMBLY, -ffp-contract=fast"
  })
  void option_thatMeansNothingToTheLanguage_isRefused(Language language, String option) {
    KernelSource source =
        language == Language.LLVM_IR
            ? KernelSource.llvmIr("k", IR)
            : KernelSource.assembly("k", ASSEMBLY);

    assertThatThrownBy(() -> source.withOptions(CompileOptions.of(option)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "k: option " + option + " is not for " + language + ", which takes ");
  }

  @Test
  void ir_includesNothingAndHasNoTemplates() {
    KernelSource source = KernelSource.llvmIr("k.ll", IR);

    assertThatThrownBy(() -> source.withHeader("a.h", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("k.ll: LLVM IR includes nothing; leave headers and include directories out");
    assertThatThrownBy(() -> source.withIncludeDirectory(temp))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("LLVM IR includes nothing");
    assertThatThrownBy(() -> source.withInstantiation("k<int>"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("k.ll: LLVM IR has no templates; leave the instance out");
  }

  @Test
  void emptySource_isRefusedInItsLanguage() {
    assertThatThrownBy(() -> KernelSource.llvmIr("k.ll", " \n"))
        .isInstanceOf(InvalidKernelSourceException.class)
        .hasMessage("k.ll: is empty; a source needs an amdgpu_kernel function");
    assertThatThrownBy(() -> KernelSource.assembly("k.s", ""))
        .hasMessage("k.s: is empty; a source needs an .amdhsa_kernel");
  }

  @Test
  void compilerWithoutTheLanguage_isNotAsked() {
    toolchain.languages = Set.of(Language.HIP);
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(KernelSource.llvmIr("k.ll", IR), GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "k.ll: no compiler here compiles LLVM IR for gfx90a: not a fake, 5.2; use hipcc,"
                  + " amdclang++ or kcache-llvm, for AMD's GPUs");
    }
    assertThat(toolchain.jobs).isEmpty();
  }

  @Test
  void entry_isHitWhereNoCompilerHasTheLanguage() {
    KernelSource source = KernelSource.llvmIr("k.ll", IR);
    fill(source);
    toolchain.languages = Set.of(Language.HIP);
    assertThat(origin(builder("ROCM_VERSION", "5.2"), source)).isEqualTo(CacheResult.Origin.DISK);
    assertThat(toolchain.jobs).hasSize(1);
  }

  @Test
  void record_namesALanguageThatIsNotHip() throws IOException {
    fill(KernelSource.llvmIr("k.ll", IR), SOURCE);
    try (CacheManager cache = manager()) {
      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::language)
          .containsExactlyInAnyOrder("llvm-ir", "hip");
    }
    for (Path record : files(root(), ".json")) {
      String text = Files.readString(record);
      assertThat(text.contains("\"language\": \"llvm-ir\"")).isEqualTo(text.contains("k.ll"));
      assertThat(text).doesNotContain("\"hip\"");
    }
  }

  @Test
  void explanation_tellsOfAnotherLanguage() {
    fill(KernelSource.of("k.ll", IR));
    try (CacheManager cache = manager()) {
      Explanation explanation = cache.explain(KernelSource.llvmIr("k.ll", IR), GFX90A);

      assertThat(explanation.nearest().get(0).differences())
          .contains(new Difference(Difference.Kind.LANGUAGE, "language hip → llvm-ir"));
    }
  }

  @Test
  void trace_givesTheSameRequestsBack() throws IOException {
    Path directory = Files.createDirectory(temp.resolve("kernels"));
    Files.writeString(directory.resolve("k.s"), ASSEMBLY + ".include \"body.inc\"\n");
    Files.writeString(directory.resolve("body.inc"), ".incbin \"table.bin\"\n");
    Path tables = Files.createDirectory(temp.resolve("tables"));
    Files.write(tables.resolve("table.bin"), new byte[] {0, -1, '.', 'i'});
    List<KernelSource> sources =
        List.of(
            KernelSource.read(directory.resolve("k.s")).withIncludeDirectory(tables),
            KernelSource.llvmIr("k.ll", IR).withOptions(CompileOptions.of("-O1")),
            KernelSource.llvmBitcode("k.bc", new byte[] {'B', 'C', (byte) 0xC0, (byte) 0xDE}));
    Path trace = temp.resolve("trace");
    try (CacheManager cache = manager("KCACHE_TRACE", trace.toString())) {
      sources.forEach(source -> cache.getOrCompile(source, GFX90A));
    }

    assertThat(Trace.read(trace))
        .extracting(request -> request.source().digest())
        .containsExactlyInAnyOrderElementsOf(sources.stream().map(KernelSource::digest).toList());
  }

  /** The kernels are random; the compiler is not asked for what was there before. */
  @Test
  void threeHundredSources_areKnownAgainAndTheirChangesTold() throws IOException {
    Random random = new Random(35);
    try (CacheManager cache = manager()) {
      for (int i = 0; i < 300; i++) {
        boolean assembles = random.nextBoolean();
        Path home = Files.createDirectory(temp.resolve("k" + i));
        Path main = home.resolve(assembles ? "k.s" : "k.ll");
        int number = random.nextInt(1_000_000);
        Files.writeString(main, assembles ? including(number) : IR + "; " + number + "\n");
        Files.writeString(home.resolve("other.inc"), "; " + number + "\n");
        KernelSource source = KernelSource.read(main);
        int compiles = toolchain.jobs.size();

        cache.getOrCompile(source, GFX90A);
        assertThat(origin(cache, KernelSource.read(main)))
            .isNotEqualTo(CacheResult.Origin.COMPILED);
        assertThat(toolchain.jobs).hasSize(compiles + 1);

        Path changed = assembles && random.nextBoolean() ? home.resolve("other.inc") : main;
        Files.writeString(changed, Files.readString(changed) + "; more\n");
        assertThat(KernelSource.read(main).digest()).isNotEqualTo(source.digest());

        if (assembles) {
          Files.writeString(home.resolve("later.inc"), "; added\n");
          assertThat(staged(KernelSource.read(main))).contains("src/later.inc");
        }
      }
    }
  }

  private static String including(int number) {
    return ASSEMBLY
        + "; "
        + number
        + "\n  .include \"other.inc\" ; and what is not there yet:\n.INCLUDE \"later.inc\"\n";
  }

  private static List<String> staged(KernelSource source) {
    StagedSource staged = source.staged();
    return staged.files().stream().map(file -> file.path()).toList();
  }

  @Test
  void targets_areKeptApart() {
    KernelSource source = KernelSource.llvmIr("k.ll", IR);
    try (CacheManager cache = manager()) {
      cache.getOrCompile(source, GFX90A);

      assertThat(cache.getIfPresent(source, TargetId.parse("gfx942"))).isEmpty();
    }
  }
}
