// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilationTimeoutException;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Options;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TestJob;
import dev.kcache.toolchain.standin.TickingClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How rustc is found, asked and run; by a stand-in, since the real one misbehaves too seldom. */
class RustToolchainTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");

  /** Answers as rustc 1.95 does, and notes each question. */
  private static final String ANSWERS =
      """
      echo "$*" >>"$(dirname "$0")/../asked"
      case "$*" in
      *--print=sysroot*) cd "$(dirname "$0")/.." && pwd ;;
      *-vV*) printf 'rustc 1.95.0 (x 2026-04-14)\\nrelease: 1.95.0\\nLLVM version: 22.1.2\\n' ;;
      *--print=target-cpus*) printf 'Available CPUs:\\n    gfx1100\\n    gfx90a  - The default.\\n' ;;
      *) compile ;;
      esac
      """;

  @TempDir private Path temp;
  private final Map<String, String> environment = new HashMap<>();
  private final TickingClock clock = new TickingClock();
  private Path sysroot;
  private Path rustc;
  private Path stagings;

  @BeforeEach
  void install() throws IOException {
    temp = temp.toRealPath();
    sysroot = temp.resolve("own");
    stagings = Files.createDirectory(temp.resolve("stagings"));
    Script.write(sysroot.resolve("lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld"), "exit 0");
    rustc = rustc("echo 'error: cannot' >&2; exit 1");
    environment.put("PATH", rustc.getParent() + ":/usr/bin:/bin");
  }

  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    try (Stream<Path> left = Files.list(stagings)) {
      assertThat(left).isEmpty();
    }
  }

  private Path rustc(String compile) throws IOException {
    return Script.write(
        sysroot.resolve("bin/rustc"), "compile() {\n" + compile + "\n}\n" + ANSWERS);
  }

  private RustToolchain find() {
    return RustToolchain.find(
        new ToolchainContext(
            environment,
            () -> stagings,
            Optional::empty,
            Optional.of(temp.resolve("memo")),
            false,
            Duration.ofMinutes(1)),
        clock);
  }

  private static TestJob job(String text) {
    return TestJob.of("src/k.rs", "k.rs", text);
  }

  private List<String> asked() throws IOException {
    return Files.readAllLines(sysroot.resolve("asked"));
  }

  @Test
  void rustcOfPath_isDescribedByItsAnswers() {
    try (RustToolchain found = find()) {
      assertThat(found.describe()).isEqualTo(rustc + ", rustc 1.95.0 (LLVM 22.1.2)");
      assertThat(found.label().text()).isEqualTo("rustc1.95");
      assertThat(found.processors()).containsExactly(Processor.GFX90A, Processor.GFX1100);
      assertThat(found.languages()).containsExactly(Language.RUST);
      assertThat(found.isKnownToLack(Processor.GFX942)).isTrue();
    }
  }

  @Test
  void rustup_isAskedOnceAndItsRustcIsRun() throws IOException {
    Path proxy =
        Script.write(
            temp.resolve("cargo/bin/rustc"),
            "echo \"$RUSTUP_TOOLCHAIN $RUSTUP_AUTO_INSTALL $RUSTFLAGS\" >>"
                + temp.resolve("proxied")
                + "\necho "
                + sysroot);
    environment.put("PATH", proxy.getParent() + ":/usr/bin:/bin");
    environment.put("RUSTUP_TOOLCHAIN", "mine");
    environment.put("RUSTFLAGS", "-Copt-level=0");
    for (int i = 0; i < 2; i++) {
      try (RustToolchain found = find()) {
        assertThat(found.describe()).startsWith(rustc + ", ");
      }
    }

    assertThat(temp.resolve("proxied")).hasContent("mine 0 ");
    assertThat(asked()).hasSize(1);
  }

  @Test
  void answers_areRememberedUntilRustcChanges() throws IOException {
    String before;
    try (RustToolchain found = find()) {
      before = found.identity(GFX90A, Options.DEFAULT).toString();
    }
    int questions = asked().size();
    try (RustToolchain found = find()) {
      assertThat(found.identity(GFX90A, Options.DEFAULT)).hasToString(before);
      assertThat(asked()).hasSize(questions);
    }
    Files.writeString(rustc, Files.readString(rustc) + "# another\n");
    try (RustToolchain found = find()) {
      assertThat(found.identity(GFX90A, Options.DEFAULT).toString()).isNotEqualTo(before);
    }
    assertThat(asked()).hasSizeGreaterThan(questions);
  }

  @Test
  void identity_isOfRustcAndItsLinkerAndWhatUnlocksIt() throws IOException {
    Path linker = sysroot.resolve("lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld");
    String before;
    try (RustToolchain found = find()) {
      before = found.identity(GFX90A, Options.DEFAULT).toString();
      assertThat(found.identityFiles(GFX90A, Options.DEFAULT))
          .extracting(Toolchain.File::path)
          .contains(rustc.toString(), linker.toString());
    }
    environment.put("RUSTFLAGS", "-Copt-level=0");
    try (RustToolchain found = find()) {
      assertThat(found.identity(GFX90A, Options.DEFAULT)).hasToString(before);
    }
    environment.put("RUSTC_BOOTSTRAP", "1");
    String unlocked;
    try (RustToolchain found = find()) {
      unlocked = found.identity(GFX90A, Options.DEFAULT).toString();
      assertThat(unlocked).isNotEqualTo(before);
    }
    Script.write(linker, "exit 1");
    String relinked;
    try (RustToolchain found = find()) {
      relinked = found.identity(GFX90A, Options.DEFAULT).toString();
      assertThat(relinked).isNotEqualTo(unlocked);
    }
    Path crates = Files.createDirectories(sysroot.resolve("lib/rustlib/amdgcn-amd-amdhsa/lib"));
    Files.writeString(crates.resolve("libcore-1.rlib"), "core");
    try (RustToolchain found = find()) {
      assertThat(found.identity(GFX90A, Options.DEFAULT).toString()).isNotEqualTo(relinked);
    }
  }

  @Test
  void none_isToldWithWhatToInstall() {
    environment.put("PATH", temp + ":/var/empty");

    assertThatThrownBy(this::find)
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            "no rustc in PATH; install one that has the target amdgcn-amd-amdhsa (rustup, or"
                + " Debian: apt install rustc) or set KCACHE_RUSTC to its path");
  }

  @Test
  void variable_comesBeforePathAndNamesAProgram() throws IOException {
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("KCACHE_RUSTC", rustc.toString());
    try (RustToolchain found = find()) {
      assertThat(found.describe()).startsWith(rustc.toString());
    }
    environment.put("KCACHE_RUSTC", sysroot.toString());

    assertThatThrownBy(this::find)
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            "KCACHE_RUSTC=" + sysroot + ": not an executable file; set it to the path of a rustc");
  }

  @Test
  void programThatIsNoRustc_isRefused() throws IOException {
    Script.write(rustc, "echo \"error: no override and no default toolchain set\" >&2; exit 1");
    assertThatThrownBy(this::find)
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            rustc
                + ": it does not tell its sysroot: error: no override and no default toolchain set;"
                + " repair it, or set KCACHE_RUSTC to a newer or complete one");

    Script.write(rustc, "case $1 in --print=sysroot) echo " + sysroot + ";; *) echo hi ;; esac");
    try (RustToolchain found = find()) {
      assertThatThrownBy(found::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith(rustc + ": it does not tell its release; is it a rustc?: hi; ");
    }
  }

  /** As rustc 1.63 of Debian 12 answers. */
  @Test
  void rustcWithoutTheTarget_isRefused() throws IOException {
    String old =
        "error: Error loading target specification: Could not find specification for target"
            + " \\\"amdgcn-amd-amdhsa\\\"";
    Files.writeString(
        rustc,
        Files.readString(rustc)
            .replaceFirst(
                "\\*--print=target-cpus\\*\\) .*",
                "*target-cpus*) echo \"" + old.replace("\\", "\\\\\\\\") + "\" >&2; exit 1 ;;"));
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.identity(GFX90A, Options.DEFAULT))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith(
              rustc + ": it has no target amdgcn-amd-amdhsa: error: Error loading target")
          .hasMessageEndingWith("set KCACHE_RUSTC to a newer or complete one");
    }
  }

  @Test
  void targetThatRustcLacks_isRefused() {
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.identity(TargetId.parse("gfx942"), Options.DEFAULT))
          .isInstanceOf(CompilationException.class)
          .hasMessage("rustc: " + rustc + " does not compile for gfx942; use a newer one");
      assertThatThrownBy(() -> found.identity(TargetId.parse("sm_90"), Options.DEFAULT))
          .hasMessageEndingWith("does not compile for sm_90; Rust is compiled for AMD's GPUs only");
    }
  }

  @Test
  void command_hasTheTargetAndTheOptions() throws Exception {
    environment.put("RUSTC_BOOTSTRAP", "1");
    try (RustToolchain found = find()) {
      assertThatThrownBy(
              () ->
                  found.compile(
                      job("#![no_core]")
                          .target("gfx90a:sramecc+:xnack-")
                          .options(
                              List.of(
                                  "-Oz",
                                  "-DFAST",
                                  "-DTILE=16",
                                  "-mllvm",
                                  "-amdgpu-x",
                                  "-mcode-object-version=5"))
                          .job()))
          .isInstanceOfSatisfying(
              CompilationException.class,
              e ->
                  assertThat(e.command())
                      .startsWith("env", "RUSTC_BOOTSTRAP=1", rustc.toString())
                      .contains(
                          "-Ctarget-cpu=gfx90a",
                          "-Ctarget-feature=+sramecc,-xnack",
                          "-Copt-level=z",
                          "--cfg=FAST",
                          "--cfg=TILE=\"16\"",
                          "-Cllvm-args=-amdgpu-x",
                          "-Cllvm-args=--amdhsa-code-object-version=5",
                          "-Fimproper_gpu_kernel_arg",
                          "-Fmissing_gpu_kernel_export_name")
                      .endsWith("src/k.rs"))
          .hasMessage("k.rs: error: cannot");
    }
  }

  /** Nothing of the user's environment but what is part of the identity. */
  @Test
  void environment_isReduced() throws Exception {
    environment.putAll(
        Map.of(
            "RUSTC_BOOTSTRAP", "1",
            "RUSTFLAGS", "-g",
            "RUSTC_WRAPPER", "sccache",
            "CARGO_HOME", "/x",
            "RUST_TARGET_PATH", "/x",
            "HOME", "/x"));
    rustc("/usr/bin/env >" + temp.resolve("seen") + "; exit 1");
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.compile(job("#![no_core]").job()))
          .isInstanceOf(CompilationException.class);
    }

    assertThat(Files.readAllLines(temp.resolve("seen")))
        .contains("RUSTC_BOOTSTRAP=1")
        .allMatch(line -> line.matches("(RUSTC_BOOTSTRAP|TMPDIR|PWD|OLDPWD|SHLVL|_)=.*"));
  }

  @Test
  void rustcThatHangs_isEnded() throws Exception {
    rustc("echo $$ >" + temp.resolve("pid") + "\nsleep 1000");
    try (RustToolchain found = find()) {
      assertThat(found.label().text()).isNotEmpty();
      assertThatThrownBy(
              () -> found.compile(job("#![no_core]").within(Duration.ofMillis(300)).job()))
          .isInstanceOf(CompilationTimeoutException.class)
          .hasMessageStartingWith("k.rs: the compiler did not end within 0.3 s and was ended");
    }
    Script.awaitDeath(Script.awaitPid(temp.resolve("pid")));
  }

  @Test
  void successWithoutAResult_isRefused() throws Exception {
    rustc("echo '../out.d: src/k.rs' >../out.d");
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.compile(job("#![no_core]").job()))
          .isInstanceOf(CompilationException.class)
          .hasMessage("k.rs: the compiler succeeded but wrote no code object");
    }
    rustc("exit 0");
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.compile(job("#![no_core]").job()))
          .isInstanceOf(CompilationException.class)
          .hasMessage(
              "k.rs: the compiler did not list the files it read, so the result can't be kept");
    }
  }

  @Test
  void fileOrVariableThatIsNoPartOfTheSource_isNamedWithItsLine() throws Exception {
    rustc("echo '../out.d: src/k.rs /etc/hosts src/gone.rs' >../out.d; : >../out.a");
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.compile(job("#![no_core]\nread!(\"/etc/hosts\");").job()))
          .isInstanceOf(CompilationException.class)
          .hasMessage(
              "k.rs:2: the compile read /etc/hosts, which is no part of the source; put it beside"
                  + " the source and name it by a relative path");
    }
    rustc(
        "printf '../out.d: src/k.rs\\n\\nsrc/k.rs:\\n\\n# env-dep:OTHER\\n# env-dep:TMPDIR=/x\\n' >../out.d");
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.compile(job("#![no_core]\nenv!(\"TMPDIR\");").job()))
          .hasMessage(
              "k.rs:2: the source asks for the variable TMPDIR of the environment, which is no part"
                  + " of it; write the value into the source, or give it by -DNAME=VALUE as a cfg");
    }
  }

  /** As rustc 1.95 prints assembly for a processor whose assembly it takes. */
  @Test
  void inlineAssembly_thatMayReadAFile_isRefused() throws Exception {
    for (String read :
        List.of(
            "module asm \".incbin \\\\22f\\\\22\"",
            "call void asm sideeffect \".${0:c} \\\\22f\\\\22\", \"s\"(ptr @inc)",
            "call void asm sideeffect \"${0:c}lude \\\\22f\\\\22\", \"s\"(ptr @inc)")) {
      rustc(
          """
          echo '../out.d: src/k.rs' >../out.d
          cat >../module.ll <<'END'
          %s
          END
          """
              .formatted(read));
      try (RustToolchain found = find()) {
        assertThatThrownBy(() -> found.compile(job("#![no_core]\nasm!(\"\");").job()))
            .as(read)
            .isInstanceOf(CompilationException.class)
            .hasMessageMatching(
                "k\\.rs: inline assembly (has \\.incbin|makes the name of a directive .*), and so may"
                    + " read files; take the data in with include_bytes!");
      }
    }
    rustc("echo '../out.d: src/k.rs' >../out.d");
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.compile(job("#![no_core]\nasm!(\"\");").job()))
          .isInstanceOf(CompilationException.class)
          .hasMessage(
              "k.rs: the compiler did not print its module, whose inline assembly may read files,"
                  + " so the result can't be kept");
    }
  }

  @Test
  void inlineAssembly_thatReadsNothing_isTaken() throws Exception {
    rustc(
        """
        grep -q ',llvm-ir=../module.ll ' "$(dirname "$0")/../asked" || exit 1
        echo '../out.d: src/k.rs' >../out.d
        echo 'call i32 asm sideeffect "v_mov_b32 $0, ${1:c}", "=v,n"(i32 7)' >../module.ll
        """);
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.compile(job("#![no_core]\nasm!(\"\");").job()))
          .isInstanceOf(CompilationException.class)
          .hasMessage("k.rs: the compiler succeeded but wrote no code object");
    }
  }

  @Test
  void core_thatIsNotThere_isToldWithWhatToInstall() throws Exception {
    rustc("echo \"error[E0463]: can't find crate for \\`core\\`\" >&2; exit 1");
    try (RustToolchain found = find()) {
      assertThatThrownBy(() -> found.compile(job("#![no_std]").job()))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "k.rs: it needs Rust's core, of which "
                  + rustc
                  + " has neither sources nor a compiled form for amdgcn-amd-amdhsa; install them"
                  + " (rustup component add rust-src, or Debian: apt install rust-src), or write"
                  + " the kernel with #![no_core]");
    }
  }
}
