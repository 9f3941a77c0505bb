// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Crates that run code of theirs on this machine when they are compiled: build scripts and
 * procedural macros. Where a machine has no rustc, each test checks that this is said.
 */
class RustHostCodeTest extends RustCrateTestBase {
  private static final String ALLOWED = "--allow-build-scripts";

  private static final String FEATURES =
      """
      #![no_core]
      #![feature(no_core, lang_items, abi_gpu_kernel, rustc_attrs)]
      #![allow(internal_features, unused)]
      """;

  /** It needs what the script writes and asks for, and what the macro makes. */
  private static final String KERNEL =
      RustSources.PRELUDE
          + """
          #[rustc_builtin_macro] macro_rules! include { ($file:expr $(,)?) => {{}}; }
          #[rustc_builtin_macro] macro_rules! concat { ($($e:expr),* $(,)?) => {{}}; }
          include!(concat!(env!("OUT_DIR"), "/made.rs"));
          #[cfg(asked)]
          #[no_mangle]
          pub unsafe extern "gpu-kernel" fn set(out: *mut i32) {
              let _ = env!("FROM_SCRIPT");
              *out = macros::number!();
              *out = made();
          }
          """;

  /** As {@link #KERNEL}, with Rust's core. */
  private static final String WITH_CORE =
      """
      #![no_std]
      #![feature(abi_gpu_kernel)]
      #[panic_handler]
      fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
      include!(concat!(env!("OUT_DIR"), "/made.rs"));
      #[cfg(asked)]
      #[no_mangle]
      pub unsafe extern "gpu-kernel" fn largest(a: *const i32, out: *mut i32, n: usize) {
          let values = core::slice::from_raw_parts(a, n);
          let least = macros::number!() + env!("FROM_SCRIPT").len() as i32 + made();
          // Indexing calls a function of core that is not inlined.
          *out = values.iter().fold(values[n / 2], |most, each| most.max(*each).max(least));
      }
      """;

  private static final String SCRIPT =
      """
      fn main() {
          let out = std::env::var("OUT_DIR").unwrap();
          std::fs::write(out + "/made.rs", "pub fn made() -> i32 { 40 }").unwrap();
          println!("cargo:rustc-cfg=asked");
          println!("cargo:rustc-env=FROM_SCRIPT=yes");
      }
      """;

  private static final String MACRO =
      """
      use proc_macro::TokenStream;
      #[proc_macro]
      pub fn number(_: TokenStream) -> TokenStream {
          std::env::var("CARGO_MANIFEST_DIR").unwrap();
          "41".parse().unwrap()
      }
      """;

  @Override
  void write(Path crate) throws IOException {
    put(
        crate,
        "Cargo.toml",
        """
        [package]
        name = "kernels"
        version = "0.1.0"
        edition = "2021"
        [dependencies]
        macros = { path = "macros" }
        [dev-dependencies]
        absent = { path = "absent" }
        [features]
        default = ["first"]
        first = []
        second = []
        """);
    put(
        crate,
        "Cargo.lock",
        """
        version = 4

        [[package]]
        name = "absent"
        version = "0.1.0"

        [[package]]
        name = "kernels"
        version = "0.1.0"
        dependencies = [
         "absent",
         "macros",
        ]

        [[package]]
        name = "macros"
        version = "0.1.0"
        """);
    put(crate, "src/lib.rs", KERNEL);
    put(crate, "build.rs", SCRIPT);
    put(
        crate,
        "macros/Cargo.toml",
        "[package]\nname = \"macros\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n");
    put(crate, "macros/src/lib.rs", MACRO);
    // Nothing compiles it, nothing runs its script.
    put(crate, "absent/Cargo.toml", "[package]\nname = \"absent\"\nversion = \"0.1.0\"\n");
    put(crate, "absent/build.rs", "fn main() { panic!() }");
    put(crate, "absent/src/lib.rs", "nonsense");
  }

  @Override
  KernelSource source() {
    return allowed(crate);
  }

  @Override
  Map<String, String> variables() {
    return Map.of("SECRET", "told");
  }

  private static KernelSource allowed(Path crate, String... more) {
    List<String> options = Stream.concat(Stream.of(ALLOWED), Stream.of(more)).toList();
    return KernelSource.rust(crate).withOptions(CompileOptions.of(options));
  }

  private static void assertRefused(CacheManager cache, KernelSource source, String problem) {
    assertThatThrownBy(() -> cache.getOrCompile(source, GFX90A))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining(problem);
    assertThat(cache.maintenance().entries()).isEmpty();
  }

  @Test
  void allowed_scriptsAndMacrosRunAndTheRecordSaysSo() throws Exception {
    with(
        cache -> {
          assertRefused(
              cache,
              KernelSource.rust(crate),
              "which would run its code on this machine; do without it (build = false), or allow it"
                  + " by --allow-build-scripts");

          CacheResult made = cache.resolveAsync(allowed(crate), GFX90A).join();

          assertThat(made.log()).isEmpty();
          assertThat(made.codeObject().kernels())
              .extracting(kernel -> kernel.name())
              .containsExactly("set");
          CacheEntry entry = cache.maintenance().entries().get(0);
          assertThat(entry.options()).contains(ALLOWED);
          assertThat(String.join(" ", entry.command()))
              .contains("--extern=macros=../target/release/deps/libmacros-")
              .doesNotContain(stagings.toString());
          Map<String, String> none = Map.of("PATH", "/var/empty", "KCACHE_RUSTC", "");
          try (CacheManager without = in("cache", none)) {
            assertThat(without.resolveAsync(allowed(crate), GFX90A).join().origin())
                .isEqualTo(Origin.DISK);
          }
        });
  }

  /** With the sources of core it is built for the target, beside what this machine runs. */
  @Test
  void core_isBuiltForACrateWithScriptAndMacro() throws Exception {
    put(crate, "src/lib.rs", WITH_CORE);
    with(
        cache -> {
          if (!Rustcs.hasCore(Rustcs.ofPath().orElseThrow())) {
            assertThatThrownBy(() -> cache.getOrCompile(allowed(crate), GFX90A))
                .isInstanceOf(ToolchainNotFoundException.class)
                .hasMessageStartingWith("kernels: it needs Rust's core, of which ")
                .hasMessageContaining("rustup component add rust-src")
                .satisfies(e -> assertThat(e.getMessage()).hasLineCount(1));
            assertThat(cache.maintenance().entries()).isEmpty();
            return;
          }
          CacheResult made = cache.resolveAsync(allowed(crate), GFX90A).join();

          assertThat(made.log()).isEmpty();
          assertThat(made.codeObject().kernels())
              .extracting(kernel -> kernel.name())
              .containsExactly("largest");
          CacheEntry entry = cache.maintenance().entries().get(0);
          assertThat(entry.command())
              .contains("--cfg=asked", "--extern=core=../core/libcore.rlib")
              .anyMatch(word -> word.startsWith("--extern=macros=../target/release/deps/"));
          Path list =
              directory
                  .resolve("cache/gfx90a-" + made.label())
                  .resolve(entry.dependencies() + ".deps");
          assertThat(list).content().contains("/library/core/src/slice/mod.rs\n");
          Map<String, String> none = Map.of("PATH", "/var/empty", "KCACHE_RUSTC", "");
          try (CacheManager without = in("cache", none)) {
            assertThat(without.resolveAsync(allowed(crate), GFX90A).join().origin())
                .isEqualTo(Origin.DISK);
          }
        });
  }

  /** A panic has such a name in it. */
  @Test
  void crate_elsewhere_givesTheSameBytes() throws Exception {
    String named =
        SCRIPT.replace("{ 40 }", "{ unsafe { (*(file!() as *const str as *const Far)).part } }");
    String kernel =
        KERNEL.replace(
            "include!(concat",
            """
            #[rustc_builtin_macro] macro_rules! file { () => {{}}; }
            #[repr(C, packed)] struct Far { before: [i32; 8], part: i32 }
            include!(concat""");
    put(crate, "build.rs", named);
    put(crate, "src/lib.rs", kernel);
    with(
        cache -> {
          Path other = directory.resolve("a longer/way to/kernels");
          write(other);
          put(other, "build.rs", named);
          put(other, "src/lib.rs", kernel);
          Path temporary = Files.createDirectories(directory.resolve("another/temporary place"));
          try (CacheManager there = in("there", Map.of("TMPDIR", temporary.toString()))) {
            CodeObject made = there.getOrCompile(allowed(other), GFX90A);

            assertThat(cache.getOrCompile(allowed(crate), GFX90A).digest())
                .isEqualTo(made.digest());
          }
        });
  }

  @Test
  void sourcesOfScriptAndMacro_areInTheKey() throws Exception {
    KernelSource before = allowed(crate);
    put(crate, "build.rs", SCRIPT + "\n");
    KernelSource script = allowed(crate);
    put(crate, "macros/src/lib.rs", MACRO + "\n");
    KernelSource macro = allowed(crate);

    assertThat(List.of(before.digest(), script.digest(), macro.digest())).doesNotHaveDuplicates();
    assertThat(KernelSource.rust(crate).digest()).isNotEqualTo(macro.digest());
  }

  @Test
  void scriptThatFails_isOneLineWithItsReason() throws Exception {
    put(crate, "build.rs", "fn main() { panic!(\"no such luck\") }");
    with(cache -> assertRefused(cache, allowed(crate), ": no such luck"));
    put(crate, "build.rs", "fn main() { nothing(); }");
    with(cache -> assertRefused(cache, allowed(crate), "cannot find function `nothing`"));
  }

  @Test
  void scriptThatLinksALibrary_isRefused() throws Exception {
    put(crate, "build.rs", SCRIPT.replace("rustc-cfg=asked", "rustc-link-lib=z"));
    with(
        cache ->
            assertRefused(
                cache,
                allowed(crate),
                "the build script of crate kernels 0.1.0 links z, a library of this machine"));
  }

  @Test
  void environmentOfAScript_isReduced() throws Exception {
    put(
        crate,
        "build.rs",
        "fn main() { assert!(std::env::var(\"SECRET\").is_err()"
            + " && std::env::var(\"HOME\").is_err()); }\n//");
    put(crate, "src/lib.rs", FEATURES + "nonsense");
    // The script passes, so that the source fails.
    with(cache -> assertRefused(cache, allowed(crate), "src/lib.rs:4:1: error: "));
  }

  @Test
  void fileThatAScriptWritesElsewhere_isRefused() throws Exception {
    put(crate, "build.rs", SCRIPT.replace("out + \"/made.rs\"", "\"src/made.rs\""));
    put(
        crate,
        "src/lib.rs",
        KERNEL.replace("concat!(env!(\"OUT_DIR\"), \"/made.rs\")", "\"made.rs\""));
    with(cache -> assertRefused(cache, allowed(crate), "made.rs, which is no part of the source"));
  }

  @Test
  void machineWithoutAnotherCompiler_isToldWhatItLacks() throws Exception {
    with(
        cache -> {
          String rustc = Rustcs.ofPath().orElseThrow().toString();
          Map<String, String> none = Map.of("PATH", "/var/empty", "KCACHE_RUSTC", rustc);
          try (CacheManager without = in("without", none)) {
            assertThatThrownBy(() -> without.getOrCompile(allowed(crate), GFX90A))
                .isInstanceOf(ToolchainNotFoundException.class)
                .hasMessageStartingWith("rustc links a build script or procedural macro by cc");
          }
        });
  }

  @Test
  void features_areThoseThatWereAskedFor() throws Exception {
    put(crate, "src/lib.rs", KERNEL.replace("(asked)", "(all(feature = \"second\", asked))"));
    with(
        cache -> {
          assertRefused(cache, allowed(crate), "no kernel");
          assertThat(
                  cache
                      .getOrCompile(
                          allowed(crate, "--no-default-features", "--features=second"), GFX90A)
                      .kernels())
              .hasSize(1);
          put(
              crate,
              "src/lib.rs",
              KERNEL.replace("(asked)", "(all(not(feature = \"first\"), asked))"));
          assertThat(cache.getOrCompile(allowed(crate, "--no-default-features"), GFX90A).kernels())
              .hasSize(1);
          assertThatThrownBy(() -> cache.getOrCompile(allowed(crate, "--features=third"), GFX90A))
              .isInstanceOf(CompilationException.class)
              .hasMessageContaining("third");
        });
  }

  /** As {@code cargo vendor} leaves it; the branch's name stands encoded in Cargo.lock. */
  @ParameterizedTest
  @CsvSource({
    "''",
    "?branch=feature%2Fx",
    "?tag=v1.0",
    "?rev=add0370ad4236e8b75b1dbd2cb981bbff951a174"
  })
  void crateFromGit_isThatWhichWasVendored(String commit) throws Exception {
    String choice =
        commit.isEmpty()
            ? ""
            : ", " + commit.substring(1).replace("%2F", "/").replace("=", " = \"") + "\"";
    String manifest = Files.readString(crate.resolve("Cargo.toml"));
    put(
        crate,
        "Cargo.toml",
        manifest.replace(
            "{ path = \"macros\" }", "{ git = \"https://example.org/m\"" + choice + " }"));
    String lock = Files.readString(crate.resolve("Cargo.lock"));
    put(
        crate,
        "Cargo.lock",
        lock
            + "source = \"git+https://example.org/m"
            + commit
            + "#add0370ad4236e8b75b1dbd2cb981bbff951a174\"\n");
    put(crate, ".cargo/config.toml", "[source.vendored-sources]\ndirectory = \"vendor\"\n");
    Files.createDirectory(crate.resolve("vendor"));
    Files.move(crate.resolve("macros"), crate.resolve("vendor/macros"));
    put(crate, "vendor/macros/.cargo-checksum.json", "{\"files\":{},\"package\":null}");

    KernelSource before = allowed(crate);
    with(cache -> assertThat(cache.getOrCompile(before, GFX90A).kernels()).hasSize(1));
    put(crate, "vendor/macros/src/lib.rs", MACRO + "\n");
    assertThat(allowed(crate).digest()).isNotEqualTo(before.digest());
  }

  @Test
  void optionsOfACrate_areRefusedForAnyOtherSource() {
    for (KernelSource source :
        List.of(KernelSource.rust("k.rs", "//"), KernelSource.of("k.hip", "//"))) {
      for (String option : List.of(ALLOWED, "--features=a", "--no-default-features")) {
        assertThatThrownBy(() -> source.withOptions(CompileOptions.of(option)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(": option " + option + " is for a crate in Rust; leave it out");
      }
    }
    for (String option : List.of("--features", "--features=", "--features=-x", "--allow-all")) {
      assertThatThrownBy(() -> CompileOptions.of(option))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("--features=a,b");
    }
  }
}
