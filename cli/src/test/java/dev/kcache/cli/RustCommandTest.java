// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the command says of rustc, which is a stand-in or not there. */
class RustCommandTest extends CommandTestBase {
  private Path source;
  private Path rustc;

  @BeforeEach
  void writeSource() throws IOException {
    source =
        Files.writeString(
            directory.resolve("k.rs"),
            "#![no_core]\n#[no_mangle]\npub unsafe extern \"gpu-kernel\" fn k() {}\n");
    rustc = directory.resolve("own/bin/rustc");
    Path linker = directory.resolve("own/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld");
    write(linker, "exit 1");
    write(
        rustc,
        """
        case "$*" in
        *--print=sysroot*) echo %s ;;
        *-vV*) printf 'release: 1.95.0\\nLLVM version: 22.1.2\\n' ;;
        *--print=target-cpus*) printf 'Available:\\n    gfx1100\\n    gfx90a\\n' ;;
        *) printf 'error[E0554]: `#![feature]` may not be used on the stable release channel\\n --> src/k.rs:1:1\\n  |\\n\\nerror: aborting due to 1 previous error\\n' >&2; exit 1 ;;
        esac
        """
            .formatted(directory.resolve("own")));
    command.realCompiler = true;
    put("PATH", "/var/empty");
  }

  private static void write(Path file, String body) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + body);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void noRustc_isWhatTheMachineLacks() {
    assertThat(ends(ExitCode.UNAVAILABLE, "prewarm", source, "--arch", "gfx90a").err())
        .contains("no rustc in PATH; install one that has the target amdgcn-amd-amdhsa");
    put("KCACHE_RUSTC", "/missing");
    assertThat(ends(ExitCode.UNAVAILABLE, "prewarm", source, "--arch", "gfx90a").err())
        .contains("KCACHE_RUSTC=/missing: not an executable file; set it to the path of a rustc");
  }

  @Test
  void stableRustc_isOneLineAndAFailedKernel() {
    put("KCACHE_RUSTC", rustc.toString());

    assertThat(ends(ExitCode.FAILED, "prewarm", source, "--arch", "gfx90a").err())
        .contains(
            "kcache: gfx90a: "
                + source
                + ":1:1: error: `#![feature]` may not be used on the stable release channel"
                + " [E0554]; use a nightly rustc (KCACHE_RUSTC), or set RUSTC_BOOTSTRAP=1\n");
  }

  @Test
  void crate_thatIsNotWhole_isAMistakeInTheRequest() throws IOException {
    put("KCACHE_RUSTC", rustc.toString());
    Path crate = Files.createDirectories(directory.resolve("crate/src")).getParent();
    Files.writeString(
        crate.resolve("Cargo.toml"), "[package]\nname = \"k\"\nversion = \"1.0.0\"\n");
    Files.writeString(crate.resolve("src/lib.rs"), "");
    Path manifest =
        Files.writeString(
            directory.resolve("m.json"),
            "{\"schema\": \"kcache.manifest/1\", \"kernels\": [{\"source\": \"crate\"}]}");

    for (String way : List.of("source", "manifest")) {
      Object[] arguments =
          way.equals("source")
              ? new Object[] {"prewarm", crate.toString(), "--arch", "gfx90a"}
              : new Object[] {"prewarm", "--manifest", manifest.toString(), "--arch", "gfx90a"};
      assertThat(command.run(arguments).err())
          .contains(
              crate.resolve("Cargo.toml")
                  + ": it has no Cargo.lock, which says what to compile; run 'cargo"
                  + " generate-lockfile' in its folder\n");
    }
    assertThat(ends(ExitCode.USAGE, "prewarm", crate, "--arch", "gfx90a").err().lines()).hasSize(1);
    Files.writeString(crate.resolve("Cargo.lock"), "version = 4\n");
    assertThat(ends(ExitCode.USAGE, "prewarm", crate, "--header", source, "--arch", "gfx90a").err())
        .contains("a crate has all of its files in its folder; leave headers and include");
    assertThat(ends(ExitCode.UNAVAILABLE, "prewarm", crate, "--arch", "gfx90a").err())
        .contains(rustc + " has no cargo beside it, which a crate needs; install it (rustup");
  }

  @Test
  void sourceWithoutAKernel_isWarnedOf() throws IOException {
    Files.writeString(source, "fn k() {}");
    assertThat(command.run("prewarm", source, "--arch", "gfx90a").err())
        .contains("k.rs has no kernel, no extern \"gpu-kernel\" function\n");
  }

  @Test
  void optionOfHip_isAMistakeInTheRequest() {
    assertThat(ends(ExitCode.USAGE, "prewarm", source, "--option=-g", "--arch", "gfx90a").err())
        .contains("k.rs: option -g is not for Rust, which takes -O, -mllvm, ");
    assertThat(ends(ExitCode.USAGE, "prewarm", source, "-DF(x)=1", "--arch", "gfx90a").err())
        .contains("k.rs: option -DF(x)=1 is not for Rust");
  }

  @Test
  void doctor_tellsOfRustcWhereItIsOrIsWanted() throws IOException {
    assertThat(command.run("doctor").out()).doesNotContain("rust");
    put("PATH", rustc.getParent().toString());
    String found = rustc + ", rustc 1.95.0 (LLVM 22.1.2), label rustc1.95, for 2 processors";
    assertThat(command.run("doctor").out())
        .contains(
            "note  rust        "
                + found
                + "; kernels need a nightly one, or RUSTC_BOOTSTRAP=1 for this one\n");
    put("RUSTC_BOOTSTRAP", "1");
    assertThat(command.run("doctor").out()).contains("ok    rust        " + found + "\n");
    write(rustc, "echo 'error: no default toolchain' >&2; exit 1");
    assertThat(command.run("doctor").out())
        .contains(
            "note  rust        " + rustc + ": it does not tell its sysroot: error: no default");
    put("KCACHE_RUSTC", "/missing");
    assertThat(command.run("doctor").out())
        .contains("warn  rust        KCACHE_RUSTC=/missing: not an executable file\n");
  }
}
