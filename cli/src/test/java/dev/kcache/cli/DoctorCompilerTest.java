// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compilers that are not there or not as they should be, and what a layer makes of that. */
class DoctorCompilerTest extends CommandTestBase {
  private Path layer;

  @BeforeEach
  void createMachineWithoutCompiler() throws IOException {
    // Where no hiprtc is, which would have to be asked, in a process of its own.
    put("KCACHE_HIP_LIBRARY", directory.toString());
    layer = directory.resolve("layer");
    Path source = command.kernel("a.hip");
    command.run("prewarm", source, "--arch", "gfx90a", "--cache-dir", layer);
    command.realCompiler = true;
    Path empty = Files.createDirectory(directory.resolve("bin"));
    put("PATH", empty.toString(), "ROCM_PATH", empty.toString());
    // The machine's hiprtc would take its place.
    put("KCACHE_TOOLCHAIN", "hipcc");
  }

  @Test
  void noCompiler_failsAndSaysWhereItWasLookedFor() {
    Run run = ends(ExitCode.UNAVAILABLE, "doctor");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .containsPattern("fail  compiler    no hipcc in .*" + directory + "/bin")
        .contains("fix: install ROCm's compiler (Debian, Ubuntu: apt install hipcc) or set")
        .doesNotContain("cached", "compile  ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          KCACHE_NVCC    | not an executable file     | set it to the path of nvcc | nvidia
          KCACHE_HIPCC   | not an executable file     | set it to the path of a hipcc or amdclang++ | amd
          HIP_CLANG_PATH | there is no such directory | correct it or unset it      | amd
          """)
  void variableThatNamesNothing_isToldByItsName(
      String variable, String problem, String fix, String platform) {
    put("HIP_PLATFORM", platform, variable, "/missing");

    Run run = ends(ExitCode.UNAVAILABLE, "doctor");

    assertThat(run.out())
        .contains("fail  compiler    " + variable + "=/missing: " + problem + "\n")
        .contains("fix: " + fix + "\n");
    if (platform.equals("nvidia")) {
      assertThat(run.out()).doesNotContain("hipcc", "ROCm's compiler");
    }
  }

  @Test
  void noCompiler_withATargetALabelAndALayer_isAWarning() {
    put("KCACHE_PATH", layer.toString(), "ARCH", "gfx90a", "ROCM_VERSION", "5.2.3");

    assertThat(succeeds("doctor").out())
        .contains("warn  compiler    no hipcc in ")
        .contains("note  cached      1 entry for gfx90a with label 5.2; nothing else can be had\n")
        .contains("ok    layer       " + layer + ": 1 entry, ");
  }

  @Test
  void noCompiler_withALayerOfAnotherTarget_saysWhatItHas() {
    put("KCACHE_PATH", layer.toString(), "ARCH", "gfx942", "ROCM_VERSION", "6.4");

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .contains("fail  compiler  ")
        .contains(
            "fail  cached      nothing for gfx942 with label 6.4, and nothing can be compiled; the"
                + " cache and its layers have gfx90a with 5.2\n")
        .contains("fix: prewarm it where there is a compiler, and name that directory");
  }

  @ParameterizedTest
  @CsvSource({
    "ARCH, gfx90a, set KCACHE_ROCM_VERSION; the cache has 5.2",
    "ROCM_VERSION, 5.2, set KCACHE_ARCH; the cache has gfx90a with 5.2"
  })
  void noCompiler_withoutALabelOrATarget_saysWhichOnesThereAre(
      String variable, String value, String fix) {
    put("KCACHE_PATH", layer.toString(), variable, value);

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .contains("fail  cached      without a compiler ", "fix: " + fix + "\n");
  }

  @Test
  void hipccThatDoesNotRun_failsWithItsOwnWords() throws IOException {
    hipcc("echo 'clang: not found' >&2; exit 127");

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .contains("fail  compiler    " + directory)
        .contains("/hipcc: '--version' failed: clang: not found\n")
        .contains(
            "fix: repair it, check ROCM_PATH and HIP_PATH, or set KCACHE_COMPILER to another");
  }

  @Test
  void hipccThatDrivesNvcc_isTold() throws IOException {
    hipcc("echo 'nvcc: NVIDIA (R) Cuda compiler driver'");

    assertThat(command.run("doctor").out()).contains("it drives nvcc although HIP_PLATFORM=amd");
  }

  @Test
  void variablesThatDecide_areShown() throws IOException {
    hipcc("echo 'HIP version: 6.4.43484-9999'");
    put("DEVICE_LIB_PATH", layer.toString(), "HIPCC_COMPILE_FLAGS_APPEND", "-DX");

    String out = command.run("doctor").out();

    assertThat(out)
        .containsPattern(
            "ok    places      the compiler and its files are looked for in"
                + " KCACHE_HIPCC='/.*/hipcc', ROCM_PATH='.*', DEVICE_LIB_PATH='"
                + layer
                + "'\n")
        .contains(
            "warn  flags       HIPCC_COMPILE_FLAGS_APPEND='-DX': not passed to the compiler\n")
        .contains("fix: give a kernel options with --option or withOptions\n");
  }

  @ParameterizedTest
  @CsvSource({
    "ROCM_PATH, there is no such directory; correct it or unset it",
    "KCACHE_HIPCC, not an executable file; set it to the path of a hipcc or amdclang++"
  })
  void placeThatIsMissing_isNoReasonToTakeAnotherCompiler(String variable, String problem) {
    command.environment.remove("KCACHE_TOOLCHAIN");
    command.environment.remove("KCACHE_HIP_LIBRARY");
    command.environment.remove("ROCM_PATH");
    put(variable, "/missing", "PATH", System.getenv("PATH"));

    assertThat(
            ends(ExitCode.UNAVAILABLE, "prewarm", command.kernel("b.hip"), "--arch", "gfx90a")
                .err()
                .lines())
        .singleElement()
        .asString()
        .contains(variable + "=/missing: " + problem);
  }

  /** Without a target the machine's platform says whose compiler is missing. */
  @Test
  void noTarget_onAMachineOfNvidias_asksForItsCompiler() throws IOException {
    command.environment.remove("KCACHE_TOOLCHAIN");
    put("KCACHE_HIP_LIBRARY", StandIn.build(Version.CUDA_13_0).library().toString());

    String out = command.run("doctor").out();

    assertThat(out).containsPattern("compiler +.*nvcc").doesNotContain("hipcc", "/dev/kfd");
  }

  @Test
  void versionThatContradictsTheCompiler_failsWhereItIsNeeded() throws IOException {
    hipcc("echo 'HIP version: 6.4.43484-9999'");
    put("KCACHE_PATH", layer.toString(), "ARCH", "gfx90a", "ROCM_VERSION", "5.2");

    Run auto = command.run("doctor");
    put("KCACHE_POLICY", "prefer-cache");
    Run preferCache = command.run("doctor");

    assertThat(auto.exitCode()).isEqualTo(3);
    assertThat(auto.out())
        .contains("fail  compiler    ROCM_VERSION=5.2 contradicts " + directory)
        .contains(
            "fix: unset the variable or set KCACHE_COMPILER to the compiler of that version\n")
        .doesNotContain("cached");
    assertThat(preferCache.exitCode()).isZero();
    assertThat(preferCache.out())
        .contains("ok    policy      prefer-cache\n")
        .contains("warn  compiler    ROCM_VERSION=5.2 contradicts ")
        .contains("note  cached      1 entry for gfx90a with label 5.2");
  }

  @Test
  void compileThatFails_isToldWithTheFirstError() throws IOException {
    hipcc(
        """
        case "$*" in
          *--version*) echo 'HIP version: 5.2.21153-0' ;;
          *) echo "doctor.hip:1:10: fatal error: 'hip/hip_runtime.h' file not found" >&2; exit 1 ;;
        esac
        """);

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .contains("/hipcc, HIP 5.2.21153-0, label 5.2\n")
        .contains(
            "fail  compile     hipcc: doctor.hip:1:10: fatal error: 'hip/hip_runtime.h' file not"
                + " found")
        .contains("fix: reinstall ROCm's compiler, device libraries and headers, or set");
  }

  @Test
  void sealed_isJudgedByWhatTheCacheHas() {
    command.realCompiler = false;
    put("KCACHE_POLICY", "sealed", "KCACHE_ARCH", "gfx90a");
    int before = command.toolchain.jobs.size();

    Run empty = command.run("doctor");
    put("KCACHE_PATH", layer.toString());
    Run filled = command.run("doctor");

    assertThat(empty.exitCode()).isEqualTo(3);
    assertThat(empty.out())
        .contains("fail  cached      nothing for gfx90a with label 5.2")
        .contains("have no entries\n");
    assertThat(filled.exitCode()).isZero();
    assertThat(filled.out()).contains("ok    compiler  ", "note  cached      1 entry for gfx90a");
    assertThat(command.toolchain.jobs).hasSize(before);
  }

  private void hipcc(String script) throws IOException {
    Path program = Programs.script(directory.resolve("bin/hipcc"), script);
    put("PATH", program.getParent() + ":/usr/bin:/bin", "KCACHE_HIPCC", program.toString());
  }
}
