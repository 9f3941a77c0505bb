// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What kcache promises of Rust, with a real rustc. Where a machine has none, each test checks that
 * this is said.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class RustContract {
  static final TargetId GFX90A = TargetId.parse("gfx90a");

  private Path stagings;
  private Map<String, String> variables;

  /** Returns the variables that lead to the rustc; none if this machine has none. */
  abstract Optional<Map<String, String>> variables();

  /** What a test does with a rustc. */
  @FunctionalInterface
  interface Body {
    void run(CacheManager cache) throws Exception;
  }

  @BeforeAll
  void find(@TempDir Path directory) throws IOException {
    stagings = Files.createDirectory(directory.resolve("stagings"));
    variables = variables().orElse(Map.of("PATH", "/var/empty", "KCACHE_RUSTC", ""));
  }

  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    try (Stream<Path> left = Files.list(stagings)) {
      assertThat(left).isEmpty();
    }
  }

  CacheManager in(Path directory, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.remove("RUSTC_BOOTSTRAP");
    environment.put("KCACHE_DIR", directory.toString());
    environment.put("TMPDIR", stagings.toString());
    environment.put("RUSTFLAGS", "-Copt-level=0");
    environment.putAll(variables);
    environment.putAll(more);
    KnownCompilers.give(directory);
    return CacheManager.builder().environment(environment).build();
  }

  /** Runs a test, or checks what is said without a rustc. */
  final void with(Path directory, Body body) throws Exception {
    try (CacheManager cache = in(directory, Map.of())) {
      if (variables().isPresent()) {
        body.run(cache);
      } else {
        assertThatThrownBy(() -> cache.getOrCompile(kernel(), GFX90A))
            .isInstanceOf(ToolchainNotFoundException.class)
            .hasMessageStartingWith("no rustc in PATH; install one that has the target ");
      }
    }
    KnownCompilers.keep(directory);
  }

  static KernelSource source(String text) {
    return KernelSource.rust("k.rs", RustSources.PRELUDE + text);
  }

  static KernelSource kernel() {
    return source(RustSources.KERNEL);
  }

  @Test
  void kernel_isCompiledAndHitLater(@TempDir Path directory) throws Exception {
    with(
        directory,
        cache -> {
          CacheResult made = cache.resolveAsync(kernel(), GFX90A).join();

          assertThat(made.origin()).isEqualTo(Origin.COMPILED);
          assertThat(made.log()).isEmpty();
          CodeObject code = made.codeObject();
          assertThat(code.target()).isEqualTo(GFX90A);
          assertThat(code.abiVersion()).isEqualTo(4);
          assertThat(code.whyNotLoadable()).isEmpty();
          assertThat(code.kernels()).hasSize(1);
          assertThat(code.kernels().get(0).name()).isEqualTo("set");
          assertThat(code.kernels().get(0).arguments())
              .extracting(argument -> argument.offset() + ":" + argument.size())
              .containsExactly("0:8", "8:4");
          CacheEntry entry = cache.maintenance().entries().get(0);
          assertThat(entry.label().text()).startsWith("rustc1.");
          assertThat(entry.language()).isEqualTo("rust");
          assertThat(cache.toolchain(Platform.AMD, Language.RUST).label()).isEqualTo(entry.label());
          try (CacheManager later = in(directory, Map.of())) {
            assertThat(later.resolveAsync(kernel(), GFX90A).join().origin()).isEqualTo(Origin.DISK);
          }
        });
  }

  /** In a container that has neither rustc nor a compiler for HIP. */
  @Test
  void withoutRustc_whatIsThereIsHit(@TempDir Path directory) throws Exception {
    with(
        directory,
        cache -> {
          CodeObject made = cache.getOrCompile(kernel(), GFX90A);
          for (String policy : List.of("auto", "prefer-cache", "sealed")) {
            Map<String, String> none =
                Map.of("PATH", "/var/empty", "KCACHE_RUSTC", "", "KCACHE_POLICY", policy);
            try (CacheManager without = in(directory, none)) {
              CacheResult found = without.resolveAsync(kernel(), GFX90A).join();

              assertThat(found.origin()).isEqualTo(Origin.DISK);
              assertThat(found.codeObject().digest()).isEqualTo(made.digest());
            }
          }
          Map<String, String> wrong = Map.of("KCACHE_RUSTC", "/var/empty/rustc");
          try (CacheManager without = in(directory, wrong)) {
            assertThatThrownBy(() -> without.getOrCompile(kernel(), GFX90A))
                .isInstanceOf(ToolchainNotFoundException.class)
                .hasMessageStartingWith("KCACHE_RUSTC=/var/empty/rustc: not an executable file");
          }
        });
  }

  @Test
  void compile_elsewhere_givesTheSameBytes(@TempDir Path directory) throws Exception {
    with(
        directory.resolve("1"),
        cache -> {
          Path temporary = Files.createDirectories(directory.resolve("a longer/place"));
          try (CacheManager there =
              in(directory.resolve("2"), Map.of("TMPDIR", temporary.toString()))) {
            assertThat(there.getOrCompile(kernel(), GFX90A).digest())
                .isEqualTo(cache.getOrCompile(kernel(), GFX90A).digest());
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90a, 4",
    "gfx1100, 4",
    "gfx90a:sramecc+:xnack-, 4",
    "gfx90a:xnack+, 4",
    "gfx9-generic, 6",
    "gfx11-generic, 6"
  })
  void eachTarget_isWhatIsMade(String target, int version, @TempDir Path directory)
      throws Exception {
    TargetId wanted = TargetId.parse(target);
    with(
        directory,
        cache -> {
          CacheResult made = cache.resolveAsync(kernel(), wanted).join();

          assertThat(made.codeObject().target()).isEqualTo(wanted);
          assertThat(made.codeObject().abiVersion()).isEqualTo(version);
          assertThat(made.log()).isEmpty();
        });
  }

  @Test
  void options_reachRustc(@TempDir Path directory) throws Exception {
    KernelSource source =
        source(
            """
            #[cfg(FAST)]
            #[no_mangle]
            pub unsafe extern "gpu-kernel" fn fast(out: *mut i32) {}
            #[cfg(TILE = "16")]
            #[no_mangle]
            pub unsafe extern "gpu-kernel" fn tiled(out: *mut i32) {}
            """
                + RustSources.KERNEL);
    with(
        directory,
        cache -> {
          CodeObject plain = cache.getOrCompile(source, GFX90A);
          assertThat(plain.kernels()).hasSize(1);
          CompileOptions options =
              CompileOptions.of("-O0", "-DFAST", "-DTILE=16", "-mcode-object-version=5");
          CodeObject other = cache.getOrCompile(source.withOptions(options), GFX90A);
          assertThat(other.kernels()).hasSize(3);
          assertThat(other.abiVersion()).isEqualTo(5);
          CodeObject slow =
              cache.getOrCompile(source.withOptions(CompileOptions.of("-O0")), GFX90A);
          assertThat(slow.digest()).isNotEqualTo(plain.digest());
        });
  }

  /** The problem that is told, and what follows the prelude. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          k.rs:18:68: error: invalid signature for `extern "gpu-kernel"` function; a kernel returns nothing | #[no_mangle] pub unsafe extern "gpu-kernel" fn k(out: *mut i32) -> i32 { 1 }
          k.rs:18:1: error: function with the "gpu-kernel" ABI has a mangled name; write #[no_mangle] before it | pub unsafe extern "gpu-kernel" fn k(out: *mut i32) { *out = 7; }
          k.rs: the result has no kernel; declare each as #[no_mangle] pub unsafe extern "gpu-kernel" fn | #[no_mangle] pub unsafe extern "C" fn k(out: *mut i32) { *out = 7; }
          k.rs: the result has no kernel; declare each as | pub fn k() {}
          k.rs:18:96: error: passing type `S` to a function with "gpu-kernel" ABI may have unexpected behavior; rustc passes a pointer in its place | #[repr(C)] pub struct S { a: i32, b: i32 } #[no_mangle] pub unsafe extern "gpu-kernel" fn k(s: S) {}
          k.rs:18:52: error: allow(improper_gpu_kernel_arg) incompatible with previous forbid | #[repr(C)] pub struct S { a: i32, b: i32 } #[allow(improper_gpu_kernel_arg)] #[no_mangle] pub unsafe extern "gpu-kernel" fn k(s: S) {}
          error: passing type `S` to a function with "gpu-kernel" ABI | #[repr(C)] pub struct S { a: i32, b: i32 } macro_rules! kernel { ($n:ident) => { #[no_mangle] pub unsafe extern "gpu-kernel" fn $n(s: S) {} } } kernel!(k);
          k.rs:18:76: error: this file contains an unclosed delimiter | #[no_mangle] pub unsafe extern "gpu-kernel" fn k(out: *mut i32) { *out = 7;
          k.rs:18:74: error: cannot find value `missing` in this scope [E0425] | #[no_mangle] pub unsafe extern "gpu-kernel" fn k(out: *mut i32) { *out = missing; }
          undefined symbol: other; it is declared but not defined | unsafe extern "C" { fn other(x: i32); } #[no_mangle] pub unsafe extern "gpu-kernel" fn k(x: i32) { other(x) }
          """)
  void sourceThatIsOfNoUse_isRefused(String problem, String text, @TempDir Path directory)
      throws Exception {
    with(
        directory,
        cache -> {
          CompilationException e =
              catchThrowableOfType(
                  CompilationException.class, () -> cache.getOrCompile(source(text), GFX90A));

          assertThat(e).hasMessageContaining(problem);
          assertThat(e.getMessage().lines()).hasSize(1);
          assertThat(cache.maintenance().entries()).isEmpty();
        });
  }

  /**
   * What assembly reads is in no list of rustc's. Until 1.97 it takes none for the target; a newer
   * one may, and its module is looked at.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "global_asm!(\".incbin \\\"FILE\\\"\");",
        "global_asm!(concat!(\".inc\", \"bin \\\"FILE\\\"\"));",
        "#[export_name = \".inc\"] static LABEL: i32 = 1; KERNEL{ asm!(\"{}lude \\\"FILE\\\"\", sym LABEL); }",
        "KERNEL{ asm!(\".{} \\\"FILE\\\"\", sym include); } static include: i32 = 1;",
        "KERNEL{ asm!(\".irpc c,d\", \".inclu\\\\c\\\\()e \\\"FILE\\\"\", \".endr\"); }",
        "#[unsafe(naked)] extern \"C\" fn n() { naked_asm!(\".include \\\"FILE\\\"\") }"
      })
  void inlineAssembly_thatReadsAFile_isRefused(String code, @TempDir Path directory)
      throws Exception {
    Path file = Files.writeString(directory.resolve("secret.inc"), "s_nop 3\n");
    String text =
        Stream.of("asm", "global_asm", "naked_asm", "concat")
                .map("#[rustc_builtin_macro] macro_rules! %s { ($($t:tt)*) => {{}}; }\n"::formatted)
                .collect(Collectors.joining())
            + code.replace("FILE", file.toString())
                .replace(
                    "KERNEL", "#[no_mangle] pub unsafe extern \"gpu-kernel\" fn k(out: *mut i32) ");
    KernelSource source =
        KernelSource.rust(
            "k.rs",
            RustSources.PRELUDE.replace("#![feature(", "#![feature(asm_experimental_arch, ")
                + text);
    with(
        directory.resolve("cache"),
        cache -> {
          CompilationException e =
              catchThrowableOfType(
                  CompilationException.class, () -> cache.getOrCompile(source, GFX90A));

          assertThat(e)
              .hasMessageStartingWith("k.rs:")
              .hasMessageMatching(
                  ".*(\\[E0472\\].*| inline assembly .*, and so may read files; take the data .*)");
          assertThat(e.getMessage().lines()).hasSize(1);
          assertThat(cache.maintenance().entries()).isEmpty();
        });
  }

  @Test
  void codeObjectVersion_thatIsTooOld_isRefused() {
    assertThatThrownBy(() -> kernel().withOptions(CompileOptions.of("-mcode-object-version=3")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("use 4 or newer");
  }

  @Test
  void std_isNotThereAndCoreIsNotCompiledToTell(@TempDir Path directory) throws Exception {
    with(
        directory,
        cache ->
            assertThatThrownBy(
                    () -> cache.getOrCompile(KernelSource.rust("k.rs", "pub fn k() {}\n"), GFX90A))
                .isInstanceOf(CompilationException.class)
                .hasMessage("k.rs: a kernel has no std; begin the source with #![no_std]"));
    try (Stream<Path> made = Files.walk(directory)) {
      assertThat(made.map(each -> each.getFileName().toString()))
          .noneMatch(name -> name.startsWith("core-"));
    }
  }

  /** A name that is no identifier, and attributes that name the crate. */
  @Test
  void name_isFree(@TempDir Path directory) throws Exception {
    with(
        directory,
        cache -> {
          for (String name : List.of("my-kernel.v2.rs", "core.rs", "8.rs", "a b.rs", "x")) {
            KernelSource source = KernelSource.rust(name, RustSources.PRELUDE + RustSources.KERNEL);
            assertThat(cache.getOrCompile(source, GFX90A).kernels()).hasSize(1);
          }
          KernelSource named =
              KernelSource.rust(
                  "k.rs",
                  "#![crate_name = \"other\"]\n" + RustSources.PRELUDE + RustSources.KERNEL);
          assertThat(cache.getOrCompile(named, GFX90A).kernels()).hasSize(1);
        });
  }
}
