// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each toolchain with a clang promises of LLVM IR and assembly; with the real ones. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class LanguageContract {
  static final Path EXAMPLES = Path.of("..", "examples", "vadd");
  static final TargetId TARGET = TargetId.parse("gfx90a");

  private static final int MODULES = Integer.getInteger("kcache.language.modules", 8);

  private static final String FLAGS =
      """
      !llvm.module.flags = !{!0}
      !0 = !{i32 1, !"%s_code_object_version", %s}
      """;

  private Path home;
  private Path stagings;
  private Map<String, String> place;

  /** Returns the name that users ask for the toolchain by. */
  abstract String name();

  /** Returns the variables that lead to the toolchain where it is none of the machine's own. */
  Map<String, String> place(Path directory) throws IOException {
    return Map.of();
  }

  @BeforeAll
  void find(@TempDir Path directory) throws IOException {
    home = Files.createDirectory(directory.resolve("home"));
    stagings = Files.createDirectory(directory.resolve("stagings"));
    place = place(directory);
  }

  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    try (Stream<Path> left = Files.list(stagings)) {
      assertThat(left).isEmpty();
    }
  }

  /** Returns the user's own cache directory, where the embedded compiler lies. */
  Path home() {
    return home;
  }

  CacheManager in(Path directory) {
    return in(directory, stagings);
  }

  private CacheManager in(Path directory, Path temporary) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", home.toString());
    environment.put("KCACHE_TOOLCHAIN", name());
    environment.put("TMPDIR", temporary.toString());
    environment.put("CCC_OVERRIDE_OPTIONS", "+-O0");
    environment.putAll(place);
    return CacheManager.builder().environment(environment).directory(directory).build();
  }

  static KernelSource example(String name) {
    return KernelSource.read(EXAMPLES.resolve(name));
  }

  private static byte[] bitcode() throws IOException {
    return resource("vadd.bc");
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = LanguageContract.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  private static List<KernelSource> sources() throws IOException {
    return List.of(
        example("vadd.ll"),
        KernelSource.llvmBitcode("vadd.bc", bitcode()),
        example("vadd.gfx90a.s"));
  }

  @Test
  void sources_giveTheirKernelAndAreHitLater(@TempDir Path directory) throws IOException {
    String label;
    try (CacheManager cache = in(directory)) {
      label = cache.toolchain(Platform.AMD).label().text();
      for (KernelSource source : sources()) {
        CacheResult made = cache.resolveAsync(source, TARGET).join();

        assertThat(made.origin()).isEqualTo(Origin.COMPILED);
        assertThat(made.log()).isEmpty();
        CodeObject code = made.codeObject();
        assertThat(code.target()).isEqualTo(TARGET);
        assertThat(code.whyNotLoadable()).isEmpty();
        assertThat(code.kernels()).hasSize(1);
        assertThat(code.kernels().get(0).name()).isEqualTo("vadd");
        assertThat(code.kernels().get(0).arguments())
            .extracting(argument -> argument.name().orElse(""))
            .containsExactly("a", "b", "c", "count");
      }
    }
    try (CacheManager later = in(directory)) {
      for (KernelSource source : sources()) {
        assertThat(later.resolveAsync(source, TARGET).join().origin()).isEqualTo(Origin.DISK);
      }
    }
    Map<String, String> sealed =
        Map.of("KCACHE_POLICY", "sealed", "PATH", "/var/empty", "ROCM_VERSION", label);
    try (CacheManager without =
        CacheManager.builder().environment(sealed).directory(directory).build()) {
      for (KernelSource source : sources()) {
        assertThat(without.resolveAsync(source, TARGET).join().origin()).isEqualTo(Origin.DISK);
      }
    }
  }

  @Test
  void compile_elsewhere_givesTheSameBytes(@TempDir Path directory) throws IOException {
    Path temporary = Files.createDirectories(directory.resolve("a longer/place"));
    try (CacheManager here = in(directory.resolve("1"));
        CacheManager there = in(directory.resolve("2"), temporary)) {
      for (KernelSource source : sources()) {
        assertThat(there.getOrCompile(source, TARGET).digest())
            .isEqualTo(here.getOrCompile(source, TARGET).digest());
      }
    }
  }

  @Test
  void options_reachTheCompiler(@TempDir Path directory) {
    KernelSource source = example("vadd.ll");
    TargetId exact = TargetId.parse("gfx90a:sramecc+:xnack-");
    try (CacheManager cache = in(directory)) {
      CodeObject best = cache.getOrCompile(source, TARGET);
      CodeObject worst = cache.getOrCompile(source.withOptions(CompileOptions.of("-O0")), TARGET);

      assertThat(worst.digest()).isNotEqualTo(best.digest());
      assertThat(cache.getOrCompile(source, exact).target()).isEqualTo(exact);
      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::options)
          .contains(List.of("-O0"), List.of("-O3"));
    }
  }

  /** Where nothing asks for a version, it is that of the same compiler's HIP for IR. */
  @Test
  void codeObjectVersion_isThatOfHipOrTheOldest(@TempDir Path directory) throws IOException {
    KernelSource hip = KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");
    try (CacheManager cache = in(directory)) {
      int version = cache.getOrCompile(hip, TARGET).abiVersion();
      for (KernelSource source : sources()) {
        assertThat(cache.getOrCompile(source, TARGET).abiVersion())
            .isEqualTo(source.language() == Language.ASSEMBLY ? 4 : version);
      }
    }
  }

  /** LLVM 15 ignores the flag by its newer name. */
  @Test
  void codeObjectVersion_isTheModulesOrRefused(@TempDir Path directory) throws IOException {
    KernelSource source = KernelSource.llvmIr("k.ll", ir() + FLAGS.formatted("amdhsa", "i32 500"));
    try (CacheManager cache = in(directory)) {
      assertThat(cache.getOrCompile(source, TARGET).abiVersion()).isEqualTo(5);
    } catch (CompilationException e) {
      assertThat(e)
          .hasMessageContaining(
              "the module asks for code object version 5, and the compiler made version 4");
    }
  }

  /** What is replaced in the example, by what, and the problem that is told. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          amdgcn-amd-amdhsa | nvptx64-nvidia-cuda | the module is for another target, or names none
          target triple = "amdgcn-amd-amdhsa" | ; | it needs the line target triple = "amdgcn-amd-amdhsa"
          "amdgpu-no-implicitarg-ptr" | "target-cpu" = "gfx\\31100" | "target-cpu"="gfx1100", so its code would not be for gfx90a
          amdgpu_kernel void | void | the result has no kernel; declare its kernels as amdgpu_kernel
          fadd float | fadd flaot | k.ll:21:15: error: expected type
          fadd float | fadd neverheardof float | k.ll:21:15: error: expected type
          declare i32 @llvm.amdgcn.workgroup.id.x() | declare i32 @llvm.amdgcn.workgroup.id.x() \\nmodule asm ".inc\\62in \\22k.ll\\22" | assembler code in the module has .incbin, and so may read files
          call i32 @llvm.amdgcn.workitem.id.x() | call i32 asm ".INCLUDE \\22x\\22", "=s"() | assembler code in the module has .include, and so may read
          call i32 @llvm.amdgcn.workitem.id.x() | call i32 asm ".in$(clude$) \\22x\\22", "=s"() | assembler code in the module makes the name of a directive or an
          call i32 @llvm.amdgcn.workitem.id.x() | call i32 asm "l: /* x */ .${1:c} \\22x\\22", "=s,i"(i32 1) | assembler code in the module makes the name of a directive or an
          call i32 @llvm.amdgcn.workitem.id.x() | call i32 asm ".include${1:c}", "=s,i"(i32 1) | assembler code in the module has .include, and so may read
          fadd float %x, %y | call float @other(float %x) \\n | the module calls other and does not define it; nothing is linked
          """)
  void ir_thatIsOfNoUse_isRefused(String part, String other, String problem, @TempDir Path where)
      throws IOException {
    String declared = other.contains("@other") ? "\ndeclare float @other(float)\n" : "";
    String text =
        ir().replaceFirst(
                Pattern.quote(part), Matcher.quoteReplacement(other.replace("\\n", "\n")));
    assertThat(text).isNotEqualTo(ir());

    refuses(KernelSource.llvmIr("k.ll", text + declared), problem, where);
  }

  @ParameterizedTest
  @CsvSource({
    "amdgpu, i32 200, 2",
    "amdhsa, i32 300, 3",
    "amdhsa, i64 300, 3",
    "amdgpu, i64 200, 2"
  })
  void codeObjectVersion_thatIsTooOld_isRefused(
      String prefix, String flag, int version, @TempDir Path where) throws IOException {
    refuses(
        KernelSource.llvmIr("k.ll", ir() + FLAGS.formatted(prefix, flag)),
        "the module asks for code object version " + version + ", which is too old; set its flag",
        where);
  }

  @Test
  void inlineAssembler_withLabelsAndOperands_isTaken(@TempDir Path directory) throws IOException {
    String code =
        "call i32 asm \"l${:uid}: s_mov_b32 $0, s[$1:$1] ; $0\\0As_cbranch_scc0 l${:uid}\", \"=s,n\"(i32 2)";
    String text = ir().replace("call i32 @llvm.amdgcn.workitem.id.x()", code);
    try (CacheManager cache = in(directory)) {
      assertThat(cache.getOrCompile(KernelSource.llvmIr("k.ll", text), TARGET).kernels())
          .hasSize(1);
    }
  }

  /** At each hundredth byte. */
  @Test
  void bitcode_thatIsCut_isRefused(@TempDir Path where) throws IOException {
    byte[] whole = bitcode();
    try (CacheManager cache = in(where)) {
      for (int length = 100; length < whole.length; length += 100) {
        KernelSource cut = KernelSource.llvmBitcode("k.bc", Arrays.copyOf(whole, length));
        CompilationException e =
            catchThrowableOfType(CompilationException.class, () -> cache.getOrCompile(cut, TARGET));

        assertThat(e)
            .hasMessageStartingWith(
                "k.bc: the bitcode is cut or damaged, since the compiler cannot")
            .hasMessageEndingWith("); write it anew, or as text");
        assertThat(e.getMessage()).hasLineCount(1);
      }
      assertThat(cache.maintenance().entries()).isEmpty();
    }
  }

  /**
   * The module has an intrinsic function, whose attributes LLVM 22 writes by a number that is new.
   * Made by {@code clang-22 --target=amdgcn-amd-amdhsa -nogpulib -O1 -c -emit-llvm fma.ll}.
   */
  @Test
  void bitcode_ofANewerLlvm_isRefusedOrCompiled(@TempDir Path where) throws IOException {
    KernelSource source = KernelSource.llvmBitcode("fma.bc", resource("fma-llvm22.bc"));
    try (CacheManager cache = in(where)) {
      assertThat(cache.getOrCompile(source, TARGET).kernels()).hasSize(1);
    } catch (CompilationException e) {
      assertThat(e)
          .hasMessageMatching(
              "fma\\.bc: the bitcode is of LLVM 22, and the compiler reads that of LLVM (\\d+); use a"
                  + " compiler of LLVM 22 or newer, or one that writes LLVM \\1's");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          (?s)\\t.amdgpu_metadata.*end_amdgpu_metadata | | the descriptor 'vadd.kd' must have 64 bytes and metadata; describe its kernels by .amdhsa_kernel and in .amdgpu_metadata
          --gfx90a" | --gfx1100" | k.s:3:17: error: .amdgcn_target directive's target id amdgcn-amd-amdhsa--gfx1100 does not match
          (?s)\\t.rodata.*end_amdgpu_metadata | | the result has no kernel; describe its kernels by .amdhsa_kernel and in
          s_endpgm | s_endprogram | k.s:26:2: error: invalid instruction
          s_endpgm | .include "gone.inc" | k.s:26:11: error: Could not find include file 'gone.inc'
          """)
  void assembly_thatIsOfNoUse_isRefused(
      String part, String other, String problem, @TempDir Path where) throws IOException {
    String text = Files.readString(EXAMPLES.resolve("vadd.gfx90a.s"));
    String changed = text.replaceFirst(part, other == null ? "" : other);
    assertThat(changed).isNotEqualTo(text);

    refuses(KernelSource.assembly("k.s", changed), problem, where);
  }

  @Test
  void includedFiles_areStaged(@TempDir Path where) throws IOException {
    String text = Files.readString(EXAMPLES.resolve("vadd.gfx90a.s"));
    KernelSource source =
        KernelSource.assembly("k.s", text.replace("\ts_endpgm", ".include \"x/end.inc\""))
            .withHeader("x/end.inc", ".include \"end2.inc\"\n")
            .withHeader("end2.inc", "\ts_endpgm\n");
    try (CacheManager cache = in(where)) {
      assertThat(cache.getOrCompile(source, TARGET).kernels()).hasSize(1);
    }
  }

  /**
   * Random modules, compiled twice each: the same bytes give the same key and code object, a
   * changed byte another key, and so does a file that is found instead of another. Three hundred:
   * {@code -Dkcache.language.modules=300}.
   */
  @Test
  void randomModules_areKnownAgainAndTheirChangesTold(@TempDir Path where) throws IOException {
    Random random = new Random(35);
    Path elsewhere = Files.createDirectory(where.resolve("elsewhere"));
    String ir = ir();
    String assembly = Files.readString(EXAMPLES.resolve("vadd.gfx90a.s"));
    try (CacheManager first = in(where.resolve("1"));
        CacheManager second = in(where.resolve("2"))) {
      for (int i = 0; i < MODULES; i++) {
        boolean assembles = random.nextBoolean();
        int number = 1 + random.nextInt(1_000_000);
        Path home = Files.createDirectory(where.resolve("k" + i));
        Path main = home.resolve(assembles ? "k.s" : "k.ll");
        Files.writeString(
            main,
            assembles
                ? assembly.replace("\ts_endpgm", ".include \"end.inc\"\n\ts_endpgm")
                : ir.replace("i32 %first, %thread", "i32 %first, " + number));
        Path included = elsewhere.resolve("end.inc");
        Files.writeString(included, "\ts_mov_b32 s0, " + number + "\n");
        KernelSource source = read(main, assembles, elsewhere);

        CodeObject code = first.getOrCompile(source, TARGET);
        KernelSource again = read(main, assembles, elsewhere);
        assertThat(again.digest()).isEqualTo(source.digest());
        assertThat(first.resolveAsync(again, TARGET).join().origin()).isNotEqualTo(Origin.COMPILED);
        assertThat(second.getOrCompile(again, TARGET).digest()).isEqualTo(code.digest());

        Path changed = assembles ? included : main;
        Files.writeString(
            changed, Files.readString(changed).replace(" " + number + "\n", " 1" + number + "\n"));
        KernelSource other = read(main, assembles, elsewhere);
        assertThat(other.digest()).isNotEqualTo(source.digest());
        assertThat(first.getOrCompile(other, TARGET).digest()).isNotEqualTo(code.digest());

        if (assembles) {
          Files.writeString(home.resolve("end.inc"), "\ts_mov_b32 s1, " + number + "\n");
          KernelSource shadowed = read(main, true, elsewhere);
          assertThat(shadowed.digest()).isNotIn(source.digest(), other.digest());
          assertThat(first.getOrCompile(shadowed, TARGET).digest()).isNotEqualTo(code.digest());
        }
      }
    }
  }

  private static KernelSource read(Path main, boolean assembles, Path directory) {
    KernelSource source = KernelSource.read(main);
    return assembles ? source.withIncludeDirectory(directory) : source;
  }

  private void refuses(KernelSource source, String problem, Path directory) throws IOException {
    try (CacheManager cache = in(directory)) {
      CompilationException e =
          catchThrowableOfType(
              CompilationException.class, () -> cache.getOrCompile(source, TARGET));

      assertThat(e).hasMessageStartingWith(source.name()).hasMessageContaining(problem);
      assertThat(cache.maintenance().entries()).isEmpty();
    }
  }

  private static String ir() throws IOException {
    return Files.readString(EXAMPLES.resolve("vadd.ll"));
  }
}
