// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What is told of the runtime and of the devices that it shows. */
class DoctorRuntimeTest extends CommandTestBase {
  private static final StandIn STAND_IN = StandIn.build(Version.HIP_6_4);

  @BeforeEach
  void createRunner() {
    // No rocminfo of this machine's own.
    put(
        "PATH",
        directory.toString(),
        "KCACHE_ARCH",
        "gfx90a",
        "KCACHE_HIP_LIBRARY",
        STAND_IN.library().toString());
    STAND_IN.reset();
  }

  @ParameterizedTest
  @CsvSource({"HIP_5_2, 5.2.21153", "HIP_6_4, 6.4.43484", "HIP_7_2, 7.2.53211"})
  void runtime_isToldWithItsVersionsAndDevices(Version version, String text) {
    StandIn standIn =
        StandIn.build(version)
            .devices(
                "gfx90a:sramecc+:xnack-/uuid=0e12865a3bf5b7ab", "gfx1030/uuid=0000000000000000");
    put("KCACHE_HIP_LIBRARY", standIn.directory().toString());

    assertThat(succeeds("doctor").out())
        .contains(
            "ok    runtime     HIP %1$s, driver %1$s, %2$s\n".formatted(text, standIn.library())
                + "ok    launch      0: gfx90a:sramecc+:xnack-, AMD Instinct MI210,"
                + " GPU-0e12865a3bf5b7ab, 0000:03:00.0, 68.7 GB\n"
                + "ok    launch      1: gfx1030, AMD Radeon RX 6800, 0000:43:00.0, 68.7 GB\n");
  }

  @Test
  void hsa_isToldWithItsVersionAndAgents() {
    StandIn hsa =
        StandIn.build(Version.HSA_6_4)
            .devices("gfx90a:sramecc+:xnack-/uuid=0e12865a3bf5b7ab", "gfx1030");
    put("KCACHE_RUNTIME", "hsa", "KCACHE_HSA_LIBRARY", hsa.directory().toString());

    assertThat(succeeds("doctor").out())
        .contains(
            "ok    runtime     HSA 1.15.0, driver 1.15.0, %s\n".formatted(hsa.library())
                + "ok    launch      0: gfx90a:sramecc+:xnack-, AMD Instinct MI210,"
                + " GPU-0e12865a3bf5b7ab, 0000:03:00.0, 68.7 GB\n"
                + "ok    launch      1: gfx1030, AMD Radeon RX 6800, GPU-1e12865a3bf5b7a0,"
                + " 0000:43:00.0, 68.7 GB\n");
    assertThat(succeeds("doctor", "--json").out())
        .contains("\"kind\":\"hsa\",\"version\":\"1.15.0\"");
  }

  @ParameterizedTest
  @EnumSource(names = {"HIP_6_4", "HSA_6_4"})
  void deviceOfAnUnknownProcessor_isOneLineBesideTheOthers(Version version) {
    StandIn standIn = StandIn.build(version).devices("gfx9999", "gfx90a/uuid=0e12865a3bf5b7ab");
    String variable = version.isHsa() ? "KCACHE_HSA_LIBRARY" : "KCACHE_HIP_LIBRARY";
    put("KCACHE_RUNTIME", version.isHsa() ? "hsa" : "hip");
    put(variable, standIn.directory().toString());

    assertThat(succeeds("doctor").out())
        .contains(
            """
            warn  launch      kcache does not know the processor gfx9999 of device 0
                              fix: choose another device, or use a newer kcache
            ok    launch      1: gfx90a, AMD Instinct MI210,""");
  }

  @Test
  void runtimeThatThereIsNot_isOneLine() {
    put("KCACHE_RUNTIME", "banana");
    assertThat(ends(ExitCode.USAGE, "doctor").err())
        .isEqualTo(
            "kcache: KCACHE_RUNTIME='banana' is none of hip, hsa, cuda; correct it or unset it\n");
  }

  @Test
  void targetThatContradictsTheOnlyGpu_isAnErrorThatNamesBoth() {
    STAND_IN.devices("gfx1030");
    command.environment.remove("KCACHE_ARCH");
    put("ARCH", "gfx90a");

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .contains("fail  target      ARCH=gfx90a does not run on the GPU, which is gfx1030\n")
        .contains("                  fix: unset ARCH, or set it to the GPU's target\n");
  }

  /** To open another one is an error, since the target is named. */
  @Test
  void targetOfOneOfSeveralGpus_isANoteWithTheOthers() {
    STAND_IN.devices("gfx1030", "gfx90a:sramecc+:xnack-", "gfx1030");

    assertThat(succeeds("doctor").out())
        .contains(
            "note  target      gfx90a (KCACHE_ARCH), which does not run on other GPUs here:"
                + " gfx1030\n");
  }

  @Test
  void json_hasTheRuntimeAsData() {
    STAND_IN.devices("gfx1030/uuid=0000000000000000");

    assertThat(command.run("doctor", "--json").out())
        .endsWith(
            """
            ,"runtime":{"library":"%s","kind":"hip","version":"6.4.43484","driverVersion":"6.4.43484",\
            "devices":[{"ordinal":0,"target":"gfx1030","name":"AMD Radeon RX 6800","uuid":null,\
            "pciBusId":"0000:03:00.0","memoryBytes":68719476736,"sharedMemoryBytes":65536,\
            "computeUnits":60,"wavefrontSize":32}]}}
            """
                .formatted(STAND_IN.library()));
  }

  @Test
  void json_withoutTheLibrary_saysNull() {
    put("KCACHE_HIP_LIBRARY", directory + "/gone");

    assertThat(command.run("doctor", "--json").out())
        .contains("\"name\":\"runtime\",\"status\":\"warn\"")
        .endsWith(
            ",\"runtime\":{\"library\":null,\"kind\":null,\"version\":null,\"driverVersion\":null,"
                + "\"devices\":[]}}\n");
    put("KCACHE_POLICY", "x");
    assertThat(command.run("doctor", "--json").out()).endsWith(",\"runtime\":null}\n");
  }

  @Test
  void libraryThatTheUserNames_isAWarningIfItWillNotDo() throws IOException {
    Path file = Files.createFile(directory.resolve("libamdhip64.so.6"));
    put("KCACHE_HIP_LIBRARY", file.toString());

    assertThat(succeeds("doctor").out())
        .contains(
            "warn  runtime     no usable HIP runtime library: "
                + file
                + " (KCACHE_HIP_LIBRARY): file too short\n"
                + "                  fix: correct KCACHE_HIP_LIBRARY or unset it\n")
        .doesNotContain(" launch ");
  }

  @Test
  void noDevice_isToldWithTheReason() {
    STAND_IN.devices();

    assertThat(succeeds("doctor").out())
        .containsPattern("(note|warn)  launch      there is no GPU: ");
  }

  /**
   * That nothing can be launched is not as it should be, nor is it wrong where kernels are made.
   */
  @Test
  void noRuntime_isANote() {
    command.environment.remove("KCACHE_HIP_LIBRARY");
    put("HIP_PLATFORM", "nvidia");
    assumeFalse(HipRuntime.find(command.environment).isAvailable(), "there is NVIDIA's driver");

    assertThat(succeeds("doctor").out())
        .contains("note  runtime     none, nothing can be launched: ");
    assertThat(command.run("doctor", "--json").out())
        .contains("{\"name\":\"runtime\",\"status\":\"note\",");
  }

  @Test
  void deviceThatOnlyRocminfoShows_isAWarning() throws IOException {
    Programs.rocminfo(directory.resolve("rocminfo"), "rocminfo.mi210x2.txt");
    STAND_IN.devices();

    assertThat(command.run("doctor").out())
        .contains("warn  launch      there is no GPU: ")
        .contains("\n                  fix: ");
  }

  @Test
  void runtimeThatShowsOtherDevices_isAWarning() throws IOException {
    Programs.rocminfo(directory.resolve("rocminfo"), "rocminfo.mi210x2.txt");
    STAND_IN.devices("gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-");
    String same = command.run("doctor").out();
    STAND_IN.devices("gfx90a:sramecc+:xnack-", "gfx1031");

    String other = command.run("doctor").out();

    assertThat(same).doesNotContain("warn ");
    assertThat(other)
        .contains(
            "warn  launch      the runtime shows gfx90a, gfx1031, and without it gfx90a, gfx90a was"
                + " found\n"
                + "                  fix: set KCACHE_ARCH to what the runtime shows\n");
  }

  @Test
  void versions_areComparedWithTheDriversBeside() throws IOException {
    Path module = Files.createDirectories(command.root.resolve("sys/module/amdgpu"));
    Path kernel = Files.createDirectories(command.root.resolve("proc/sys/kernel"));
    Files.writeString(kernel.resolve("osrelease"), "6.8.0-49-generic\n");
    String linux = command.run("doctor").out();
    Files.writeString(module.resolve("version"), "6.12.12\n");
    command.toolchain.label = "6.4";
    String same = command.run("doctor").out();
    command.toolchain.label = "hiprtc6.4";
    String runtimes = command.run("doctor").out();

    assertThat(runtimes).contains("ok    versions    compiler hiprtc6.4, HIP runtime 6.4.43484");
    assertThat(linux)
        .contains(
            "note  versions    compiler 5.2, HIP runtime 6.4.43484, amdgpu driver of Linux"
                + " 6.8.0-49-generic: compiler and runtime are of different releases\n");
    assertThat(same)
        .contains("ok    versions    compiler 6.4, HIP runtime 6.4.43484, amdgpu driver 6.12.12\n");
  }

  /** Inside of WSL nothing advises a kernel module or a group, which it does not have. */
  @Test
  void wsl_isToldOfItsOwnDeviceAndRocm() throws IOException {
    Path kernel = Files.createDirectories(command.root.resolve("proc/sys/kernel"));
    Files.writeString(kernel.resolve("osrelease"), "5.15.153.1-microsoft-standard-WSL2\n");
    String container = command.run("doctor").out();
    Files.createFile(Files.createDirectories(command.root.resolve("dev")).resolve("dxg"));
    STAND_IN.fail("hipGetDeviceCount", 999);

    String wsl = command.run("doctor").out();
    STAND_IN.reset();

    assertThat(container).contains("note  dxg         there is no /dev/dxg, by which WSL has");
    assertThat(wsl)
        .contains(
            "fix: install ROCm for WSL, and AMD's driver on Windows\n",
            "note  dxg         to launch on AMD's GPU behind /dev/dxg install ROCm for WSL, whose")
        .doesNotContain("amdgpu", "usermod", "/dev/kfd");
  }

  /** The real HIP 5.2 refuses it with hipErrorSharedObjectInitFailed. */
  @Test
  void codeObjectsThatAreTooNewForTheRuntime_areAWarning() {
    command.toolchain.label = "6.4";
    String well = command.run("doctor").out();
    put("KCACHE_HIP_LIBRARY", StandIn.build(Version.HIP_5_2).library().toString());

    assertThat(succeeds("doctor").out())
        .contains(
            """
            warn  versions    compiler 6.4, HIP runtime 5.2.21153: the compiler makes code object version 6, this runtime loads 4 at most
                              fix: compile with the ROCm of the runtime: set ROCM_PATH, or KCACHE_TOOLCHAIN=llvm
            """);
    assertThat(well).doesNotContain("warn  versions");
  }

  @Test
  void runtimeThatFails_isAWarning() {
    STAND_IN.fail("hipGetDeviceCount", 999).fail("hipDriverGetVersion", 3);

    Run run = command.run("doctor");
    STAND_IN.reset();

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("warn  runtime     HIP 6.4.43484, driver unknown, ")
        .contains("warn  launch      hipGetDeviceCount: hipErrorUnknown (999)")
        .contains("fix: install a ROCm that fits the amdgpu driver\n");
  }
}
