// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the report says of the places where ROCm may be. */
class DoctorRocmTest extends CommandTestBase {
  @BeforeEach
  void createRunner() throws IOException {
    put(
        "KCACHE_ARCH",
        "gfx90a",
        "HIP_PLATFORM",
        "amd",
        "PATH",
        directory.resolve("bin").toString(),
        "ROCM_PATH",
        directory.resolve("a").toString(),
        "HIP_PATH",
        directory.resolve("b").toString());
    program("a/bin/hipcc");
    program("a/bin/rocminfo");
    program("b/lib/llvm/bin/amdclang++");
  }

  @Test
  void places_areToldWithWhatIsThereAndWhatIsUsed() throws IOException {
    Files.createDirectories(directory.resolve("venv"));
    put("VIRTUAL_ENV", directory + "/venv");
    StandIn standIn = StandIn.build(Version.HIP_6_4);
    Path library = Files.createDirectories(directory.resolve("a/lib")).resolve("libamdhip64.so.6");
    Files.copy(standIn.library(), library);

    String out = command.run("doctor").out();

    assertThat(out)
        .contains(
            "ok    rocm        %1$s/a (ROCM_PATH): %1$s/a/bin/hipcc (used), %1$s/a/lib/libamdhip64.so.6 (used), %1$s/a/bin/rocminfo\n"
                .formatted(directory))
        .contains(
            "note  rocm        %1$s/b (HIP_PATH): %1$s/b/lib/llvm/bin/amdclang++ (not used: a place before has one)\n"
                .formatted(directory))
        .contains(
            "note  rocm        %s/venv (VIRTUAL_ENV): nothing of ROCm's\n".formatted(directory));
  }

  @Test
  void rocmByTwoPaths_isToldOnce() {
    put("PATH", directory.resolve("a/bin").toString());

    assertThat(command.run("doctor").out())
        .contains(
            "rocm        " + directory + "/a (ROCM_PATH): " + directory + "/a/bin/hipcc (used)")
        .doesNotContain("/a/bin (PATH)");
    assertThat(command.run("doctor", "--json").out())
        .contains("{\"path\":\"" + directory + "/a/bin\",\"origin\":\"PATH\"");
  }

  @Test
  void variableThatNamesADirectoryWithoutRocm_isAWarning() throws IOException {
    Path empty = Files.createDirectories(directory.resolve("empty"));
    put("HIP_PATH", empty.toString());

    assertThat(command.run("doctor").out())
        .contains(
            """
            warn  rocm        %s (HIP_PATH): nothing of ROCm's
                              fix: correct HIP_PATH or unset it
            """
                .formatted(empty));
  }

  @Test
  void variables_areWhyAnotherCompilerIsUsed() throws IOException {
    Path named = program("c/bin/hipcc");
    put("KCACHE_HIPCC", named.toString());

    assertThat(command.run("doctor").out())
        .contains("/a/bin/hipcc (not used: KCACHE_HIPCC names another)")
        .contains("/b/lib/llvm/bin/amdclang++ (not used: KCACHE_HIPCC names another)");
  }

  @Test
  void problems_areWarningsWithWhatToDo() throws IOException {
    for (String python : new String[] {"python3.9", "python3.12"}) {
      Files.createDirectories(
          directory.resolve("venv/lib/" + python + "/site-packages/_rocm_sdk_core"));
    }
    put("VIRTUAL_ENV", directory + "/venv", "HIP_PATH", directory + "/gone");

    Run run = command.run("doctor");

    assertThat(run.out())
        .contains(
            "warn  rocm        " + directory + "/venv (VIRTUAL_ENV) has two ROCm wheels, in ",
            "fix: uninstall one, or set ROCM_PATH\n",
            "warn  rocm        " + directory + "/gone (HIP_PATH) does not exist\n",
            "fix: correct HIP_PATH or unset it\n");
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void runtimeOfAnotherRocm_isAWarning() {
    put("KCACHE_HIP_LIBRARY", StandIn.build(Version.HIP_6_4).library().toString());

    assertThat(command.run("doctor").out())
        .containsPattern("warn  rocm        the compiler is of .*/a and the HIP runtime of ")
        .contains("fix: set ROCM_PATH to have both of one\n");
  }

  @Test
  void toolOfAnotherRocm_isAWarning() throws IOException {
    program("c/bin/rocminfo");
    program("c/lib/libamdhip64.so.6");
    command.environment.put("PATH", directory + "/c/bin:" + directory + "/a/bin");
    command.environment.remove("ROCM_PATH");
    command.environment.remove("HIP_PATH");

    assertThat(command.run("doctor").out())
        .containsPattern("warn  rocm        the compiler is of .*/a and rocminfo of .*/c\n")
        .contains("fix: set ROCM_PATH to have both of one\n");
  }

  @Test
  void json_hasEachPlace() {
    String out = command.run("doctor", "--json").out();

    assertThat(out)
        .contains(
            ("{'path':'%1$s/a','origin':'ROCM_PATH','problem':null,"
                    + "'compiler':'%1$s/a/bin/hipcc','compilerUsed':true,'compilerUnusedBecause':null,"
                    + "'runtime':null,'runtimeUsed':false,'tools':['%1$s/a/bin/rocminfo'],"
                    + "'deviceLibrary':null}")
                .formatted(directory)
                .replace('\'', '"'))
        .contains("{\"path\":\"" + directory + "/bin\",\"origin\":\"PATH\"");
  }

  @Test
  void nvidia_hasNoneOfIt() {
    put("HIP_PLATFORM", "nvidia", "KCACHE_ARCH", "sm_90");

    assertThat(command.run("doctor").out()).doesNotContain("  rocm  ");
  }

  private Path program(String name) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\nexit 1\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
