// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.CompilationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Crates, with the cargo beside the rustc of PATH. Where a machine has none, each test checks that
 * this is said. What is in their keys, {@code CrateTest} has.
 */
class RustCrateTest extends RustCrateTestBase {
  private static final int CRATES = Integer.getInteger("kcache.rust.crates", 6);

  /** The crate that declares what {@code core} would, as one from a registry. */
  private static final String LANGUAGE =
      RustSources.PRELUDE
          + "pub fn two() -> i32 { 2 }\n#[cfg(feature = \"f\")] pub fn three() -> i32 { 3 }\n";

  private static final String KERNELS =
      """
      #![no_core]
      #![feature(no_core, lang_items, abi_gpu_kernel)]
      #![allow(internal_features, unused)]
      use language::*;
      mod numbers;
      #[unsafe(no_mangle)]
      pub unsafe extern "gpu-kernel" fn set(out: *mut i32) { unsafe { *out = numbers::one() } }
      #[unsafe(no_mangle)]
      pub unsafe extern "gpu-kernel" fn three(out: *mut i32) { unsafe { *out = language::three() } }
      #[unsafe(no_mangle)]
      pub unsafe extern "gpu-kernel" fn far(out: *mut i32) { unsafe { *out = helper::far(out) } }
      """;

  /** Writes a crate that depends on one in a folder and on one of a registry. */
  @Override
  void write(Path crate) throws IOException, InterruptedException {
    put(
        crate,
        "Cargo.toml",
        """
        [package]
        name = "kernels"
        version = "0.1.0"
        edition = "2024"
        [dependencies]
        language = { version = "1", features = ["f"] }
        helper = { path = "../helper" }
        """);
    put(crate, "src/lib.rs", KERNELS);
    put(crate, "src/numbers.rs", "use language::*; pub fn one() -> i32 { 1 }\n");
    put(
        crate,
        ".cargo/config.toml",
        "[source.v]\ndirectory = \"vendor\"\n[build]\nrustc = \"/x\"\n");
    put(crate, "vendor/language/src/lib.rs", LANGUAGE);
    put(
        crate,
        "vendor/language/Cargo.toml",
        "[package]\nname = \"language\"\nversion = \"1.2.3\"\n[features]\nf = []\n");
    put(
        crate,
        "../helper/Cargo.toml",
        "[package]\nname = \"helper\"\nversion = \"0.2.0\"\nedition = \"2021\"\n[dependencies]\nlanguage = \"1\"\n");
    put(
        crate,
        "../helper/src/lib.rs",
        """
        #![no_core]
        #![feature(no_core, lang_items, abi_gpu_kernel)]
        use language::*;
        #[inline(never)]
        pub fn far(out: *mut i32) -> i32 { unsafe { *out = 4; *out } }
        """);
    put(
        crate,
        "vendor/language/.cargo-checksum.json",
        """
        {"files":{},"package":"8b5a6d4c2f0a1f3c7a9f0f2b1d8e4c3b2a1908f7e6d5c4b3a291807f6e5d4c3b"}
        """);
    lock(crate);
  }

  /**
   * Writes {@code Cargo.lock}, as cargo does without a network; without a cargo, an empty one will
   * do.
   */
  private static void lock(Path crate) throws IOException, InterruptedException {
    put(crate, "Cargo.lock", "version = 4\n");
    ProcessBuilder cargo =
        new ProcessBuilder(
            "cargo",
            "generate-lockfile",
            "--offline",
            "--config",
            "source.crates-io.replace-with='v'",
            "--config",
            "build.rustc='rustc'");
    Process running;
    try {
      running = cargo.directory(crate.toFile()).redirectErrorStream(true).start();
    } catch (IOException e) {
      return;
    }
    String said = new String(running.getInputStream().readAllBytes(), UTF_8);
    assertThat(running.waitFor()).as(said).isZero();
  }

  @Override
  KernelSource source() {
    return KernelSource.rust(crate);
  }

  /** What changes cargo elsewhere. */
  @Override
  Map<String, String> variables() {
    return Map.of(
        "RUSTFLAGS",
        "-Copt-level=0",
        "CARGO_BUILD_TARGET_DIR",
        directory.resolve("target").toString());
  }

  private static void assertRefused(CacheManager cache, KernelSource source, String problem) {
    assertThatThrownBy(() -> cache.getOrCompile(source, GFX90A))
        .isInstanceOf(CompilationException.class)
        .hasMessageStartingWith(problem);
    assertThat(cache.maintenance().entries()).isEmpty();
  }

  @Test
  void crate_isCompiledWithItsDependenciesAndHitLater() throws Exception {
    with(
        cache -> {
          CacheResult made = cache.resolveAsync(KernelSource.rust(crate), GFX90A).join();

          assertThat(made.origin()).isEqualTo(Origin.COMPILED);
          assertThat(made.log()).isEmpty();
          assertThat(made.codeObject().kernels())
              .extracting(kernel -> kernel.name())
              .containsExactlyInAnyOrder("set", "three", "far");
          assertThat(made.codeObject().whyNotLoadable()).isEmpty();
          Map<String, String> none = Map.of("PATH", "/var/empty", "KCACHE_RUSTC", "");
          try (CacheManager without = in("cache", none)) {
            CacheResult hit = without.resolveAsync(KernelSource.read(crate), GFX90A).join();
            assertThat(hit.origin()).isEqualTo(Origin.DISK);
            assertThat(hit.codeObject().digest()).isEqualTo(made.codeObject().digest());
          }
        });
  }

  @Test
  void crate_elsewhere_givesTheSameBytes() throws Exception {
    with(
        cache -> {
          Path other = directory.resolve("a longer/way to/kernels");
          write(other);
          Path temporary = Files.createDirectories(directory.resolve("another/temporary place"));
          try (CacheManager there = in("there", Map.of("TMPDIR", temporary.toString()))) {
            CodeObject made = there.getOrCompile(KernelSource.rust(other), GFX90A);

            assertThat(cache.getOrCompile(KernelSource.rust(crate), GFX90A).digest())
                .isEqualTo(made.digest());
            assertThat(cache.maintenance().entries().get(0).request())
                .isEqualTo(there.maintenance().entries().get(0).request());
          }
        });
  }

  /** A constant tells the crates apart, wherever it stands. */
  @Test
  void generatedCrates_giveTheirOwnBytes() throws Exception {
    with(
        cache -> {
          Set<Digest> made = new HashSet<>();
          for (int i = 100; i < 100 + CRATES; i++) {
            switch (i % 3) {
              case 0 ->
                  put(
                      crate,
                      "src/numbers.rs",
                      "use language::*; pub fn one() -> i32 { " + i + " }");
              case 1 ->
                  put(
                      crate,
                      "vendor/language/src/lib.rs",
                      LANGUAGE.replace("{ 3 }", "{ " + i + " }"));
              default -> {
                Path helper = crate.resolve("../helper/src/lib.rs");
                put(
                    crate,
                    "../helper/src/lib.rs",
                    Files.readString(helper).replaceAll("= \\d+;", "= " + i + ";"));
              }
            }
            assertThat(made.add(cache.getOrCompile(KernelSource.rust(crate), GFX90A).digest()))
                .isTrue();
          }
        });
  }

  @Test
  void options_reachTheCrateThatHasTheKernels() throws Exception {
    put(crate, "src/numbers.rs", "use language::*; #[cfg(a = \"b\")] pub fn one() -> i32 { 1 }");
    with(
        cache -> {
          KernelSource source = KernelSource.rust(crate);
          assertRefused(cache, source, "kernels: " + crate.resolve("src/lib.rs") + ":7:");
          assertThat(
                  cache
                      .getOrCompile(source.withOptions(CompileOptions.of("-Da=b")), GFX90A)
                      .kernels())
              .hasSize(3);
        });
  }

  @Test
  void variablesOfCargo_areThoseThatDoNotTellThePlace() throws Exception {
    put(crate, "src/lib.rs", KERNELS.replace("abi_gpu_kernel)", "abi_gpu_kernel, rustc_attrs)"));
    String macro =
        "#[rustc_builtin_macro] macro_rules! env { ($name:expr $(,)?) => {{}}; }\n"
            + "use language::*; pub fn one() -> i32 { let _ = env!(\"%s\"); 1 }";
    with(
        cache -> {
          for (String variable : List.of("CARGO_MANIFEST_DIR", "HOME", "CARGO_HOME", "RUSTC")) {
            put(crate, "src/numbers.rs", macro.formatted(variable));
            assertRefused(
                cache,
                KernelSource.rust(crate),
                "kernels: " + crate.resolve("src/numbers.rs") + ":2");
          }
          put(crate, "src/numbers.rs", macro.formatted("CARGO_PKG_VERSION"));
          assertThat(cache.getOrCompile(KernelSource.rust(crate), GFX90A).kernels()).hasSize(3);
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "build.rs | fn main() {} | crate kernels 0.1.0 has a build script or a procedural macro,"
            + " which would run its code on this machine; do without it (build = false)",
        "vendor/language/build.rs | fn main() {} | crate language 1.2.3 has a build script or",
        "vendor/language/Cargo.toml | [package]\\nname = \"language\"\\nversion ="
            + " \"1.2.3\"\\n[features]\\nf = []\\n[lib]\\nproc-macro = true | crate language 1.2.3"
            + " has a build script or a procedural macro, which would run its code",
        "Cargo.toml | [package]\\nname = \"kernels\"\\nversion = \"0.1.0\"\\n[dependencies]\\nother ="
            + " \"1\" | Cargo.lock lacks something that Cargo.toml asks for; run",
        "Cargo.toml | [package\\n | cargo: ",
        "../helper/src/lib.rs | nonsense | %s/../helper/src/lib.rs:1:1: error: ",
        "src/numbers.rs | nonsense | %s/src/numbers.rs:1:1: error: expected one of",
      })
  void crateThatIsOfNoUse_isRefused(String file, String text, String problem) throws Exception {
    put(crate, file, text.replace("\\n", "\n"));

    with(
        cache ->
            assertRefused(
                cache,
                KernelSource.rust(crate),
                KernelSource.rust(crate).name() + ": " + problem.replace("%s", crate.toString())));
  }

  @Test
  void crateWithoutALibrary_isRefused() throws Exception {
    Files.move(crate.resolve("src/lib.rs"), crate.resolve("src/main.rs"));

    with(
        cache ->
            assertRefused(
                cache,
                KernelSource.rust(crate),
                "kernels: it has no library; a kernel's crate has a src/lib.rs"));
  }

  @Test
  void workspace_isNoCrate() throws Exception {
    Path workspace = crate.getParent();
    Files.writeString(
        workspace.resolve("Cargo.toml"),
        "[workspace]\nmembers = [\"kernels\", \"helper\"]\nresolver = \"3\"\n");
    Files.move(crate.resolve("Cargo.lock"), workspace.resolve("Cargo.lock"));
    put(workspace, ".cargo/config.toml", "[source.v]\ndirectory = \"kernels/vendor\"\n");

    with(
        cache -> {
          assertRefused(
              cache,
              KernelSource.rust(workspace),
              "Cargo.toml: it is a workspace; name the folder of one of its crates");
          assertThat(cache.getOrCompile(KernelSource.rust(crate), GFX90A).kernels()).hasSize(3);
        });
  }

  /** Neither a crate's own lint levels nor those of another crate allow it. */
  @Test
  void kernelOfADependency_isCheckedToo() throws Exception {
    Path helper = crate.resolve("../helper/src/lib.rs");
    put(
        crate,
        "../helper/src/lib.rs",
        Files.readString(helper)
            + """
            #[repr(C)] pub struct S { a: i32, b: i32 }
            #[allow(improper_gpu_kernel_arg)] #[no_mangle]
            pub unsafe extern "gpu-kernel" fn k(out: *mut i32, s: S) { *out = 7; }
            """);

    with(
        cache ->
            assertRefused(
                cache,
                KernelSource.rust(crate),
                "kernels: " + helper + ":7:9: error: allow(improper_gpu_kernel_arg) "));
  }
}
