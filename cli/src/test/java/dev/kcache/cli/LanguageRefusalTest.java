// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sources in languages beside HIP that this machine's compilers refuse: the exit code, one line
 * that says what to do, and no entry. A compiler newer than what a test needs compiles its source.
 */
@Timeout(300)
class LanguageRefusalTest extends CommandTestBase {
  private static final String KERNEL =
      """
      #![no_std]
      #![feature(abi_gpu_kernel)]
      #[panic_handler]
      fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
      #[no_mangle]
      pub unsafe extern "gpu-kernel" fn k(out: *mut i32) { *out = 1; }
      """;

  @BeforeEach
  void useCompilers() {
    command.realCompiler = true;
    put("PATH", System.getenv("PATH"), "HOME", System.getProperty("user.home"));
    put("RUSTC_BOOTSTRAP", "1", "CARGO_HOME", directory.resolve("cargo").toString());
  }

  private Run prewarm(Path source) {
    return command.run("prewarm", source, "--arch", "gfx90a");
  }

  private void refuses(int exitCode, Path source, String message) {
    assertRefused(prewarm(source), exitCode, message);
  }

  private void assertRefused(Run run, int exitCode, String message) {
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    assertThat(run.err().lines().filter(line -> line.startsWith("kcache: ")))
        .singleElement()
        .asString()
        .contains(message);
    if (Files.exists(directory.resolve("cache"))) {
      assertThat(succeeds("verify").out()).startsWith("0 records and 0 code objects ");
    }
  }

  private Path write(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static byte[] newerBitcode() throws IOException {
    return Files.readAllBytes(
        Path.of("../kernels/src/test/resources/dev/kcache/kernels/fma-llvm22.bc"));
  }

  @Test
  void truncatedBitcode_fails() throws IOException {
    Path source = directory.resolve("k.bc");
    Files.write(source, Arrays.copyOf(newerBitcode(), 400));

    refuses(ExitCode.FAILED, source, "k.bc: the bitcode is cut or damaged, since the compiler");
  }

  @Test
  void bitcodeOfANewerLlvm_fails() throws IOException {
    Path source = Files.write(directory.resolve("k.bc"), newerBitcode());
    Run run = prewarm(source);
    if (run.exitCode() != ExitCode.OK) {
      assertRefused(
          run,
          ExitCode.FAILED,
          "k.bc: the bitcode is of LLVM 22, and the compiler reads that of LLVM ");
    }
  }

  /** LLVM 20 knows the flag. */
  @Test
  void textOfANewerLlvm_fails() throws IOException {
    Path source =
        write(
            "k.ll",
            """
            target triple = "amdgcn-amd-amdhsa"
            define amdgpu_kernel void @k(ptr %p) {
              %q = getelementptr nuw i8, ptr %p, i64 4
              store i32 1, ptr %q
              ret void
            }
            """);
    Run run = prewarm(source);
    if (run.exitCode() != ExitCode.OK) {
      assertThat(run.err()).contains("k.ll:3:22: error: expected type\n");
      assertRefused(run, ExitCode.FAILED, "k.ll does not compile, see the error above");
    }
  }

  @Test
  void syntaxErrorInAssembly_fails() throws IOException {
    String text = Files.readString(Path.of("../examples/vadd/vadd.gfx90a.s"));
    Path source = write("k.s", text.replace("s_endpgm", "s_endprogram"));
    Run run = prewarm(source);

    assertThat(run.err()).contains("k.s:26:2: error: invalid instruction\n");
    assertRefused(run, ExitCode.FAILED, "k.s does not compile, see the error above");
  }

  /** Nothing of it was fetched, and nothing is asked of the network. */
  @Test
  void crateThatIsNotFetched_isAMistakeInTheRequest() throws IOException {
    write("crate/src/lib.rs", KERNEL);
    write(
        "crate/Cargo.toml",
        "[package]\nname = \"k\"\nversion = \"0.1.0\"\n[dependencies]\nother = \"1\"\n");
    write(
        "crate/Cargo.lock",
        """
        version = 4

        [[package]]
        name = "k"
        version = "0.1.0"
        dependencies = ["other"]

        [[package]]
        name = "other"
        version = "1.0.0"
        source = "registry+https://example.org/index"
        checksum = "5f0e2c6ed6606019b4e29e69dbaba95b11854410e5347d525002456dbbb786b6"
        """);

    refuses(
        ExitCode.USAGE,
        directory.resolve("crate"),
        "Cargo.lock:8: crate other 1.0.0 is neither vendored nor fetched, and kcache asks no network; run 'cargo fetch --locked' in the crate's folder");
  }

  /** What it names is of no registry, so that cargo alone can say what is amiss. */
  @Test
  void crateThatCargoRefuses_isAMistakeInTheRequest() throws Exception {
    write("crate/src/lib.rs", KERNEL);
    String manifest = "[package]\nname = \"k\"\nversion = \"0.1.0\"\n";
    String lock = "version = 4\n\n[[package]]\nname = \"k\"\nversion = \"0.1.0\"\n";
    String outdated =
        "Cargo.lock lacks something that Cargo.toml asks for; run 'cargo fetch' in the crate's"
            + " folder";
    refusesCrate(manifest + "[dependencies]\nother = \"1\"\n", lock, outdated);
    refusesCrate(manifest.replace("0.1.0", "0.2.0"), lock, outdated);
    refusesCrate(manifest, lock + "[[package\n", "k: cargo: failed to parse lock file");
    write("crate/build.rs", "fn main() {}");
    refusesCrate(manifest, lock, "do without it (build = false), or allow it by --allow-build");
  }

  private void refusesCrate(String manifest, String lock, String message) throws Exception {
    write("crate/Cargo.toml", manifest);
    write("crate/Cargo.lock", lock);
    if (sysroot().isEmpty()) {
      refuses(ExitCode.UNAVAILABLE, directory.resolve("crate"), "no rustc in PATH; install one");
    } else {
      refuses(ExitCode.USAGE, directory.resolve("crate"), message);
    }
  }

  @Test
  void rustcWithoutCore_isWhatTheMachineLacks() throws Exception {
    Path source = write("k.rs", KERNEL);
    Optional<Path> sysroot = sysroot();
    if (sysroot.isEmpty()) {
      refuses(ExitCode.UNAVAILABLE, source, "no rustc in PATH; install one");
    } else if (Files.exists(sysroot.get().resolve("lib/rustlib/src/rust/library/core"))) {
      assertThat(prewarm(source).out()).contains("1 compiled");
    } else {
      refuses(
          ExitCode.UNAVAILABLE,
          source,
          "; install them (rustup component add rust-src, or Debian: apt install rust-src), or write"
              + " the kernel with #![no_core]");
    }
  }

  private Optional<Path> sysroot() throws Exception {
    List<String> words = List.of("/bin/sh", "-c", "rustc --print=sysroot");
    Run run = Programs.run(Programs.builder(directory, command.environment, words));
    return run.exitCode() == 0 ? Optional.of(Path.of(run.out().strip())) : Optional.empty();
  }
}
