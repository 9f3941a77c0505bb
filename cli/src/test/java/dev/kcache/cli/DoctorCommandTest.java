// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The report as a whole, settings and targets. */
class DoctorCommandTest extends CommandTestBase {
  private static final StandIn STAND_IN = StandIn.build(Version.HIP_6_4);

  @BeforeEach
  void createRunner() {
    // No rocminfo of this machine's own.
    put("PATH", directory.toString());
    STAND_IN.reset();
    put("KCACHE_HIP_LIBRARY", STAND_IN.library().toString());
  }

  @Test
  void allWell_isOneLineForEachCheckAndNothingElse() {
    put("KCACHE_ARCH", "gfx90a");

    Run run = succeeds("doctor");

    assertThat(run.err()).isEmpty();
    // Of ROCm there is one for each place.
    assertThat(run.out().lines().map(line -> line.split("  +", 3)[1]).distinct())
        .containsExactly(
            "version",
            "policy",
            "compiler",
            "compile",
            "toolchains",
            "rocm",
            "target",
            "device",
            "runtime",
            "launch",
            "kfd",
            "versions",
            "temporary",
            "directory");
    assertThat(run.out().lines())
        .allMatch(
            line -> line.matches("ok  .*|note  (toolchains|device|rocm|kfd|versions|platform) .*"));
    assertThat(run.out())
        .contains("ok    version     kcache ")
        .contains("ok    policy      auto\n")
        .contains("ok    compiler    /fake/hipcc, HIP 5.2.1, label 5.2\n")
        .contains("ok    compile     a small kernel for gfx90a in 1.5 s\n")
        .contains("ok    target      gfx90a (KCACHE_ARCH)\n")
        .contains("directory   " + command.cache + " (KCACHE_DIR): not there yet");
  }

  @Test
  void variableOfWindows_isNotBelieved() {
    put("KCACHE_ARCH", "gfx90a", "OS", "Windows_NT");

    assertThat(succeeds("doctor").out()).doesNotContain("Windows", "wsl");
  }

  @Test
  void onWindows_itIsSaidThatKcacheNeverRanThere() {
    put("KCACHE_ARCH", "gfx90a");
    command.windows = true;

    assertThat(succeeds("doctor").out())
        .contains("warn  system      Windows, on which kcache has never been run\n")
        .contains(" fix: see docs/windows.md for what was tested");
  }

  @Test
  void onATerminal_linesAreWrappedBetweenWords() {
    onATerminal(80);

    String out = succeeds("doctor").out();

    assertThat(out.lines())
        .allMatch(line -> line.length() < 80 || line.strip().split("\\s+").length <= 3);
    assertThat(out)
        .contains(
            """
            warn  target      no GPU target: KCACHE_ARCH and ARCH name none, and there is
                              no rocminfo in PATH,""");
  }

  @Test
  void compileTried_isNotKept() {
    command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a");

    assertThat(command.run("doctor").out()).contains(" (KCACHE_DIR): 1 entry, ");
    assertThat(command.toolchain.jobs).hasSize(2);
    assertThat(command.run("list").out().lines()).hasSize(1);
  }

  @Test
  void json_hasEveryCheckWithItsFix() throws IOException {
    assertThat(succeeds("doctor", "--json").out())
        .startsWith("{\"schema\":\"kcache.doctor/1\",\"ok\":true,\"checks\":[{\"name\":\"version\"")
        .contains(
            "{\"name\":\"policy\",\"status\":\"ok\",\"detail\":\"auto\",\"fix\":null}",
            "{\"name\":\"target\",\"status\":\"warn\",",
            "\"fix\":\"set KCACHE_ARCH or pass --arch\"}");
  }

  @Test
  void json_whenNoKernelCanBeHad_saysSo() {
    put("KCACHE_POLICY", "x");

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor", "--json").out())
        .startsWith("{\"schema\":\"kcache.doctor/1\",\"ok\":false,\"checks\":[");
  }

  @Test
  void settingThatIsWrong_isAFindingAndTheLastOne() {
    put("KCACHE_POLICY", "x");

    Run run = ends(ExitCode.UNAVAILABLE, "doctor");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .endsWith(
            """
            fail  settings    KCACHE_POLICY='x' is unknown
                              fix: use auto, prefer-cache or sealed
            """);
  }

  @Test
  void argumentThatIsWrong_isAWrongRequest() {
    assertThat(command.run("doctor", "x").exitCode()).isEqualTo(2);
    assertThat(command.run("doctor", "--cache-dir", "").exitCode()).isEqualTo(2);
  }

  @Test
  void variableThatIsMisspelt_isAWarning() {
    put("KCACHE_DIRR", "/x");

    assertThat(succeeds("doctor").out())
        .contains(
            """
            warn  variable    KCACHE_DIRR is unknown and has no effect
                              fix: did you mean KCACHE_DIR?
            """);
  }

  @Test
  void noTarget_isAWarningThatSaysWhyNoGpuIsSeen() {
    assertThat(succeeds("doctor").out())
        .contains(
            "warn  target      no GPU target: KCACHE_ARCH and ARCH name none, and there is no"
                + " rocminfo in PATH")
        .contains("\n                  fix: set KCACHE_ARCH or pass --arch\n")
        .contains("note  device      none\n")
        .contains("ok    compile     a small kernel for gfx1030 in");
  }

  @Test
  void gpuThatMayNotBeUsed_isAWarningWithTheGroup() throws IOException {
    Programs.rocminfo(directory.resolve("rocminfo"), "rocminfo.notmember.txt");

    String withoutTarget = command.run("doctor").out();
    put("KCACHE_ARCH", "gfx90a");
    String withTarget = command.run("doctor").out();

    assertThat(withoutTarget)
        .contains("warn  target      no GPU target: ", "fix: add the user to the group render")
        .contains(", or set KCACHE_ARCH or pass --arch\n");
    assertThat(withTarget)
        .contains("warn  device      none: ", "fix: add the user to the group render");
  }

  @Test
  void noGpu_withATarget_isNothingToMend() {
    put("ARCH", "gfx90a");

    assertThat(command.run("doctor").out())
        .contains("ok    target      gfx90a (ARCH)\n")
        .contains("note  device      none: there is no rocminfo in PATH");
  }

  @Test
  void targetThatIsNone_isAFailure() {
    put("KCACHE_ARCH", "gfx9z");

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .contains(
            "fail  target      KCACHE_ARCH=gfx9z: unknown processor 'gfx9z'; 'kcache targets' ")
        .contains("fix: correct it, or unset it\n");
  }

  @Test
  void devices_areListedWithWhatHidesThem() throws IOException {
    Programs.rocminfo(directory.resolve("rocminfo"), "rocminfo.mi210x2.txt");
    put("ARCH", "x86_64", "HIP_VISIBLE_DEVICES", "1", "CUDA_VISIBLE_DEVICES", "");

    assertThat(command.run("doctor").out())
        .contains("note  target      gfx90a (the GPU); ARCH=x86_64 names a CPU and is ignored\n")
        .contains(
            "ok    device      0: gfx90a:sramecc+:xnack-, AMD Instinct MI210, GPU-2c0c6a9ce4219723"
                + "\n")
        .contains("note  override    GPUs are hidden or reordered by HIP_VISIBLE_DEVICES='1'\n");
  }

  @Test
  void rocrVisibleDevicesThatIsEmpty_hidesAllGpus() {
    put("ROCR_VISIBLE_DEVICES", "", "HIP_VISIBLE_DEVICES", "", "KCACHE_ARCH", "gfx90a");

    assertThat(succeeds("doctor").out())
        .contains(
            """
            warn  override    ROCR_VISIBLE_DEVICES is set and empty, which hides every GPU of AMD's
                              fix: unset it, or name GPUs that are there
            """)
        .doesNotContain("HIP_VISIBLE_DEVICES");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HSA_OVERRIDE_GFX_VERSION   | 9.0.10 | note | every GPU of AMD's for gfx90a; kcache compiles for gfx90a
          HSA_OVERRIDE_GFX_VERSION   | 10.3.0 | warn | every GPU of AMD's for gfx1030; kcache compiles for gfx90a
          HSA_OVERRIDE_GFX_VERSION_1 | 10.3.0 | note | the GPU of node 1 for gfx1030; kcache compiles for gfx90a
          HSA_OVERRIDE_GFX_VERSION   | 10.3.9 | warn | every GPU of AMD's for gfx1039, which kcache does not know
          """)
  void overriddenVersion_saysWhatItPretends(
      String variable, String value, String status, String meaning) throws IOException {
    Programs.rocminfo(directory.resolve("rocminfo"), "rocminfo.mi210x2.txt");
    put(variable, value);

    assertThat(succeeds("doctor").out())
        .contains(
            "%s  override    %s='%s': the runtime takes %s\n"
                .formatted(status, variable, value, meaning));
  }

  @Test
  void overriddenVersionOfAnotherProcessor_isAWarningWithTheTarget() throws IOException {
    Programs.rocminfo(directory.resolve("rocminfo"), "rocminfo.mi210x2.txt");
    put("HSA_OVERRIDE_GFX_VERSION", "10.3.0");

    assertThat(succeeds("doctor").out()).contains("fix: unset it, or set KCACHE_ARCH=gfx1030\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "junk", "10.3", "64.0.0", "10.256.0"})
  void overriddenVersionThatIsNone_isAWarning(String value) {
    put("HSA_OVERRIDE_GFX_VERSION", value, "KCACHE_ARCH", "gfx90a");

    assertThat(succeeds("doctor").out())
        .contains(
            """
            warn  override    HSA_OVERRIDE_GFX_VERSION='%s' is not a version such as 10.3.0: the runtime does not start with it
                              fix: unset it
            """
                .formatted(value));
  }

  @Test
  void gpuThatTheCompilerDoesNotKnow_isAWarningWhateverTheTarget() {
    STAND_IN.devices("gfx90a:sramecc+:xnack-", "gfx1031");
    put("KCACHE_ARCH", "gfx90a");

    Run run = succeeds("doctor");

    assertThat(run.out())
        .contains(
            """
            warn  device      the compiler does not know gfx1031, the processor of a GPU here
                              fix: set KCACHE_COMPILER to the compiler of a ROCm that knows gfx1031
            """)
        .doesNotContain("does not know gfx90a");
  }

  @Test
  void nvccInPath_isANoteOnHipccStartedByHand() throws IOException {
    Path nvcc = Programs.script(directory.resolve("nvcc"), "exit 1");
    put("KCACHE_ARCH", "gfx90a");

    String unset = command.run("doctor").out();
    put("HIP_PLATFORM", "amd");
    String amd = command.run("doctor").out();

    assertThat(unset)
        .contains(
            "note  platform    hipcc started by hand may take %s, unless HIP_PLATFORM=amd is set; kcache sets it for its compiles\n"
                .formatted(nvcc));
    assertThat(amd).doesNotContain(" platform ");
  }

  @Test
  void platformOfNvidia_withATargetOfAmd_isAWarning() {
    put("KCACHE_ARCH", "gfx90a", "HIP_PLATFORM", "nvidia");

    assertThat(succeeds("doctor").out())
        .contains(
            """
            warn  platform    HIP_PLATFORM=nvidia, but the target is AMD's: GPUs and runtime are looked for among NVIDIA's
                              fix: unset HIP_PLATFORM, or name a target of NVIDIA's such as sm_90
            """);
  }

  @Test
  void compilerThatDoesNotKnowTheTarget_isToldFromOneThatKnowsNone() {
    put("KCACHE_ARCH", "gfx90a");
    command.toolchain.unknown.add(Fixtures.GFX90A);

    Run one = command.run("doctor");
    command.toolchain.unknown.add(Fixtures.GFX1030);
    Run all = command.run("doctor");

    assertThat(one.exitCode()).isEqualTo(3);
    assertThat(one.out())
        .contains(
            "fail  compile     a small kernel compiles for gfx1030, but not for gfx90a: doctor.hip:"
                + " error: invalid target ID 'gfx90a'\n"
                + "                  fix: set KCACHE_COMPILER to the compiler of a ROCm that knows"
                + " gfx90a, or choose another target\n");
    assertThat(all.exitCode()).isEqualTo(3);
    assertThat(all.out())
        .contains("fail  compile     doctor.hip: error: invalid target ID 'gfx90a'\n")
        .contains("fix: reinstall ROCm's compiler");
  }
}
