// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilationTimeoutException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.process.BoundedFile;
import dev.kcache.toolchain.standin.FakeHipcc;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compilers that don't do what they should. */
@Timeout(120)
class HipccFailureTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir Path directory;
  private FakeHipcc fake;
  private DriverToolchain toolchain;

  @BeforeEach
  void make() throws IOException {
    fake = new FakeHipcc(directory.resolve("rocm"));
    toolchain =
        TestToolchains.find(
            Platform.AMD, fake.environment(Map.of()), () -> directory, Optional.empty());
  }

  @AfterEach
  void close() {
    toolchain.close();
  }

  @Test
  void compile_neverEnds_isKilledAndTheErrorHasLogAndCommand() throws Exception {
    Path pid = directory.resolve("pid");
    fake.compilesWith(
        "echo 'src/f.hip:1:1: note: thinking' >&2; (sleep 600 & echo $! >" + pid + "); sleep 600");

    CompilationException failure = failure(Duration.ofSeconds(2));

    assertThat(failure)
        .hasMessage(
            "f.hip: the compiler did not end within 2 s and was ended; allow it more time with"
                + " --timeout or compileTimeout")
        .asInstanceOf(type(CompilationTimeoutException.class))
        .returns(Duration.ofSeconds(2), CompilationTimeoutException::limit);
    assertThat(failure.log()).isEqualTo("f.hip:1:1: note: thinking\n");
    assertThat(failure.command()).contains("--genco", "src/f.hip");
    assertThat(failure.exitCode()).isEqualTo(-1);
    Script.awaitDeath(Script.awaitPid(pid));
  }

  /** What it printed stays below the limit but for what it prints between two looks. */
  @Test
  void compile_printsWithoutEnd_isKilledAndTheErrorShowsItsFirstWords() throws Exception {
    Path pid = directory.resolve("pid");
    fake.compilesWith(
        "echo 'src/f.hip:1:1: note: again and again' >&2; (sleep 600 & echo $! >"
            + pid
            + "); yes | head -c 65000000; sleep 600");

    CompilationException failure = failure(Duration.ofSeconds(20));

    assertThat(failure)
        .hasMessage(
            "f.hip: the compiler "
                + toolchain.program()
                + " printed more than 64 MB and was ended; its log begins \"y\"");
    assertThat(failure.log())
        .contains("f.hip:1:1: note: again and again\n")
        .hasSizeLessThan(3 * BoundedFile.LONGEST_TEXT);
    assertThat(failure.exitCode()).isEqualTo(-1);
    Script.awaitDeath(Script.awaitPid(pid));
    assertThat(directory).isDirectoryNotContaining("glob:**kcache-*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"$TMPDIR/a.bc", "../out.co", "new"})
  void compile_writesWithoutEnd_isKilled(String file) throws Exception {
    fake.compilesWith("truncate -s 2100M " + file + "; sleep 600");

    assertThat(failure(Duration.ofSeconds(20)))
        .hasMessage(
            "f.hip: the compiler "
                + toolchain.program()
                + " wrote more than 2 GB of files and was ended; it said nothing");
    assertThat(directory).isDirectoryNotContaining("glob:**kcache-*");
  }

  @Test
  void compile_fillsTheDisk_saysWhereThereIsNoRoom() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        succeeds("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", small.toString()),
        "only root can mount");
    try (DriverToolchain here =
        TestToolchains.find(
            Platform.AMD, fake.environment(Map.of()), () -> small, Optional.empty())) {
      fake.compilesWith("head -c 2m /dev/zero >$TMPDIR/big; exit 1");

      CompilationException failure =
          catchThrowableOfType(CompilationException.class, () -> here.compile(fake.job(LONG)));

      assertThat(failure)
          .hasMessage(
              "f.hip: there is no room left in "
                  + small
                  + "; make room there, or set TMPDIR to a directory that has some");
      assertThat(small).isEmptyDirectory();
    } finally {
      assertThat(succeeds("umount", small.toString())).isTrue();
    }
  }

  private static boolean succeeds(String... command) throws Exception {
    return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
  }

  @Test
  void compile_endsAfterItPrintedTooMuch_failsAsIfItWereStillRunning() throws Exception {
    fake.compilesWith("yes | head -c 65000000");

    assertThat(failure(LONG)).hasMessageContaining(" printed more than 64 MB and was ended; ");
  }

  @Test
  void identity_versionWithoutEnd_isKilledAndTheErrorNamesTheProgram() throws Exception {
    Script.write(
        fake.root.resolve("bin/hipcc"), "yes 'HIP version: 6.1' | head -c 1100000; sleep 600");

    assertThatThrownBy(() -> toolchain.identity(FakeHipcc.TARGET, fake.job(LONG).options()))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            toolchain.program()
                + ": it printed more than 1 MB and was ended; its log begins"
                + " \"HIP version: 6.1\"; repair it, check ROCM_PATH and HIP_PATH, or set"
                + " KCACHE_COMPILER to another");
  }

  @Test
  void identity_versionIsPrintedBeforeItFails_givesWhatStandardErrorSays() throws Exception {
    Script.write(
        fake.root.resolve("bin/hipcc"),
        "echo 'HIP version: 6.1.40091-0'; echo 'sh: 1: /x/clang++: not found' >&2; exit 127");

    assertThatThrownBy(() -> toolchain.identity(FakeHipcc.TARGET, fake.job(LONG).options()))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageStartingWith(
            toolchain.program() + ": '--version' failed: sh: 1: /x/clang++: not found; ");
  }

  @Test
  void identity_commandsAreRefusedAfterAVersion_givesWhatStandardErrorSays() throws Exception {
    Script.write(
        fake.root.resolve("bin/hipcc"),
        "echo 'HIP version: 6.1.40091-0'; case \"$*\" in *--version*) exit;; esac\n"
            + "echo 'sh: 1: /x/clang++: not found' >&2; exit 127");

    assertThatThrownBy(() -> toolchain.identity(FakeHipcc.TARGET, fake.job(LONG).options()))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining(": sh: 1: /x/clang++: not found");
  }

  @Test
  void compile_failsWithoutAnErrorLine_givesTheExitCode() throws IOException {
    fake.compilesWith("exit 70");

    assertThat(failure(LONG))
        .hasMessage(
            "f.hip: the compiler failed with exit code 70 and said nothing; is there room in the"
                + " temporary directory?");
  }

  @Test
  void compile_noDependencyList_isNotKept() throws IOException {
    fake.compilesWith("echo x >../out.co");

    assertThat(failure(LONG))
        .hasMessage(
            "f.hip: the compiler did not list the files it read, so the result can't be kept");
  }

  @Test
  void compile_dependencyListWithANul_isNotKept() throws IOException {
    fake.compilesWith("echo x >../out.co; printf 'x: src/f.hip src/\\000.h\\n' >../out.d");

    assertThat(failure(LONG))
        .hasMessage(
            "f.hip: the compiler did not list the files it read, so the result can't be kept");
  }

  @Test
  void identity_hipccPrintsANul_saysSo() throws IOException {
    Script.write(
        fake.root.resolve("bin/hipcc"), "printf ' \"/usr/bin/cl\\000ang\" \"-cc1\"\\n' >&2");

    assertThatThrownBy(() -> toolchain.identity(FakeHipcc.TARGET, fake.job(LONG).options()))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageStartingWith(
            toolchain.program() + ": asked what it is or would run, it prints a NUL");
  }

  @Test
  void compile_noCodeObject_isAnError() throws IOException {
    fake.compilesWith("echo 'x: src/f.hip' >../out.d");

    assertThat(failure(LONG)).hasMessage("f.hip: the compiler succeeded but wrote no code object");
  }

  @Test
  void compile_bundleWithoutTheTarget_saysWhatItHas() throws IOException {
    fake.compilesWith(writes(resource("/bundle/hip-6.4-compressed.hsaco")));

    assertThat(failure(LONG))
        .hasMessage(
            "f.hip: the compiler made a code object for gfx942, not for gfx90a; ask for that"
                + " target, and leave options such as -mxnack away");
  }

  @Test
  void compile_damagedBundle_isNoCodeObject() throws IOException {
    byte[] bundle = resource("/bundle/hip-6.4-compressed-two.hsaco");
    fake.compilesWith(writes(Arrays.copyOf(bundle, bundle.length - 1)));

    assertThat(failure(LONG))
        .hasMessageStartingWith(
            "f.hip: the compiler wrote no code object: malformed code object at byte 8: the"
                + " compressed bundle (");
  }

  @Test
  void compile_strippedResult_isNotKept() throws IOException {
    fake.compilesWith(writes(resource("/killers/stripped.gfx90a.co")));

    assertThat(failure(LONG))
        .hasMessage(
            "f.hip: the compiler's result cannot be loaded: stripped: it lacks .symtab and .strtab,"
                + " which AMD's runtime needs; keep symbols (no llvm-strip, no -s)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4-compressed-two"})
  void compile_bundle_isUnpackedForTheTarget(String name) throws Exception {
    fake.compilesWith(writes(resource("/bundle/" + name + ".hsaco")));

    Toolchain.Output output = toolchain.compile(fake.job(LONG));

    assertThat(output.codeObject().target()).isEqualTo(FakeHipcc.TARGET);
  }

  @Test
  void compile_dependencyThroughDots_isStillForeign() throws IOException {
    Path secret = Files.createFile(fake.root.resolve("secret"));
    fake.compilesWith(
        "echo 'x: src/f.hip " + fake.root + "/include/c++/12/../../../secret' >../out.d");

    assertThat(failure(LONG)).hasMessageStartingWith("f.hip: the compile read ").hasNoCause();
    assertThat(secret).exists();
  }

  @Test
  void compile_headerOfALibraryInstalledMeanwhile_isTheToolchains() throws Exception {
    toolchain.identity(FakeHipcc.TARGET, fake.job(LONG).options());
    fake.compilesWith("echo 'x: src/f.hip " + fake.header + "' >../out.d; exit");

    assertThat(failure(LONG)).hasMessageContaining("wrote no code object");
  }

  @Test
  void label_hipccFails_saysHow() throws IOException {
    Script.write(fake.root.resolve("bin/hipcc"), "echo 'no perl here' >&2; exit 2");

    assertThatThrownBy(toolchain::label)
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            toolchain.program()
                + ": '--version' failed: no perl here; repair it, check ROCM_PATH and HIP_PATH, or"
                + " set KCACHE_COMPILER to another");
  }

  @Test
  void label_hipccPrintsSomethingElse_isNoHipcc() throws IOException {
    Script.write(fake.root.resolve("bin/hipcc"), "echo 'gcc 12'");

    assertThatThrownBy(toolchain::label)
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageContaining("printed no HIP version of 4.0 or later: gcc 12");
  }

  /** Returns a script that succeeds with these bytes as its code object. */
  private String writes(byte[] image) throws IOException {
    Path made = Files.write(fake.root.resolve("made"), image);
    return "echo 'x: src/f.hip' >../out.d; cat " + made + " >../out.co; exit";
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = HipccFailureTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private CompilationException failure(Duration timeout) {
    return catchThrowableOfType(
        CompilationException.class, () -> toolchain.compile(fake.job(timeout)));
  }
}
