// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A ROCm or compiler that is there and of no use: one line says what is wrong and what to do. */
@Timeout(120)
class BadRocmTest {
  private static final String SITE = "venv/lib/python3.12/site-packages";

  @TempDir private Path directory;
  private CommandRunner command;
  private Path kernel;

  @BeforeEach
  void makeMachineWithoutCompiler() throws IOException {
    directory = directory.toRealPath();
    command = new CommandRunner(directory);
    command.realCompiler = true;
    kernel = command.kernel("k.hip");
    command.environment.put("PATH", Files.createDirectory(directory.resolve("bin")).toString());
    // Where no hiprtc is.
    command.environment.put("KCACHE_HIP_LIBRARY", directory.toString());
    command.environment.put("KCACHE_ARCH", "gfx90a");
    command.environment.put("HIP_PLATFORM", "amd");
  }

  @ParameterizedTest
  @CsvSource({"echo $@", "echo clang version 22.1.8", "exit 0"})
  void compilerThatIsNone_isTold(String script) throws IOException {
    Path named = named(script);

    assertTold(
        named + ": '--version' printed no HIP version of 4.0 or later",
        "",
        "repair it, check ROCM_PATH and HIP_PATH, or set KCACHE_COMPILER to another");
  }

  @ParameterizedTest
  @CsvSource({"/usr/bin/yes", "/bin/cat /dev/zero >&2"})
  void compilerThatPrintsWithoutEnd_isRunOnceForEachCommand(String script) throws IOException {
    Path named = named(script);

    assertTold(
        named + ": it printed more than 1 MB and was ended; ",
        "",
        "repair it, check ROCM_PATH and HIP_PATH, or set KCACHE_COMPILER to another");
    assertThat(directory.resolve("runs")).hasContent("run\nrun\n");
  }

  @Test
  void compilerThatHangs_isWaitedForOnceInABatch() throws IOException {
    Path named = named("exec /bin/sleep 600");

    Run run =
        command.run(
            "prewarm",
            kernel,
            command.kernel("l.hip", "2"),
            "--arch",
            "gfx90a,gfx942",
            "--timeout",
            "1s");

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err().lines())
        .containsExactly(
            "kcache: "
                + named
                + ": it did not end within 1 s and was ended; it said nothing; allow it more time"
                + " with --timeout or compileTimeout, or repair it, check ROCM_PATH and HIP_PATH,"
                + " or set KCACHE_COMPILER to another");
    assertThat(directory.resolve("runs")).hasContent("run\n");
  }

  @ParameterizedTest
  @CsvSource({"VIRTUAL_ENV, venv", "ROCM_PATH, " + SITE + "/_rocm_sdk_core", "PATH, venv/bin"})
  void wheelWithoutDeviceLibrary_isTold(String variable, String place) throws IOException {
    wheel(SITE);
    if (variable.equals("ROCM_PATH")) {
      // What the user names is not replaced by another ROCm's.
      program("bin/hipcc", "exit 1");
    }
    command.environment.put(variable, directory.resolve(place).toString());

    assertTold(
        "no hipcc in ",
        directory.resolve(place)
            + " ("
            + variable
            + ") has a ROCm wheel without ROCm's device library, ",
        "pip install --force-reinstall 'rocm[devel]'");
  }

  @ParameterizedTest
  @CsvSource({"hipcc", "amdclang"})
  void realCompilerWithoutDeviceLibrary_isTold(String kind) throws Exception {
    command.environment.put("PATH", System.getenv("PATH"));
    command.environment.put("KCACHE_TOOLCHAIN", kind);
    Path bitcode =
        RocmFinder.of(new Environment(command.environment), Path.of("/"))
            .deviceLibrary()
            .orElseThrow();

    Run run = runBehind("/bin/mount -t tmpfs none " + bitcode, "--arch", "gfx90a,gfx1030");

    assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
    assertThat(run.err().lines())
        .singleElement()
        .asString()
        .startsWith("kcache: /")
        .endsWith(
            ": it finds no ROCm device library; install rocm-device-libs, or set"
                + " HIP_DEVICE_LIB_PATH to the directory of its bitcode");
  }

  @ParameterizedTest
  @CsvSource({"VIRTUAL_ENV, venv", "PATH, venv/bin", "KCACHE_COMPILER, venv/bin/hipcc"})
  void twoWheels_areTold(String variable, String place) throws IOException {
    wheel(SITE);
    wheel(SITE.replace("3.12", "3.9"));
    command.environment.put(variable, directory.resolve(place).toString());

    assertTold(
        variable.equals("KCACHE_COMPILER") ? "KCACHE_COMPILER=" : "no hipcc in ",
        "has two ROCm wheels, in %1$s/%2$s and ".formatted(directory, SITE),
        "uninstall one, or set ROCM_PATH");
  }

  @Test
  void twoReleasesInOneRoot_areTold() throws IOException {
    program("rocm/bin/hipcc", "exit 1");
    command.write("rocm/.info/version", "6.1.0-82\n");
    command.write("rocm/include/hip/hip_version.h", "");
    command.write(
        "rocm/include/rocm-core/rocm_version.h",
        "#define ROCM_VERSION_MAJOR 6\n#define ROCM_VERSION_MINOR 2\n");
    command.environment.put("ROCM_PATH", directory + "/rocm");

    assertTold(
        directory + "/rocm/.info/version is of ROCm 6.1.0, and ",
        "two releases are mixed in one directory",
        "reinstall one of them");
  }

  @Test
  void linkToNothing_inOpt_isTold() throws Exception {
    Run run = runBehind("/bin/mount -t tmpfs opt /opt && /bin/ln -s rocm-6.1.0 /opt/rocm");

    assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
    assertThat(run.err().lines())
        .singleElement()
        .asString()
        .startsWith("kcache: no hipcc in ")
        .endsWith(
            "/opt/rocm is a link to rocm-6.1.0, which does not exist; repair the link, or set ROCM_PATH");
  }

  /** Runs the command where something is mounted for it alone. */
  private Run runBehind(String mount, String... more) throws Exception {
    assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0), "only root can mount");
    String script = "/bin/mount --make-rprivate / 2>/dev/null; " + mount + " && exec \"$@\"";
    List<String> words = new ArrayList<>(List.of("/usr/bin/unshare", "--mount", "/bin/sh", "-c"));
    words.addAll(List.of(script, "sh"));
    words.addAll(Programs.kcache("prewarm", kernel.toString()));
    words.addAll(List.of(more));
    return Programs.run(Programs.builder(directory, command.environment, words));
  }

  /** The line has all three parts, the last at its end; a report has it as advice. */
  private void assertTold(String start, String part, String advice) {
    Run prewarm = command.run("prewarm", kernel);
    Run doctor = command.run("doctor");

    assertThat(prewarm.exitCode()).as(prewarm.err()).isEqualTo(3);
    assertThat(prewarm.err().lines())
        .singleElement()
        .asString()
        .startsWith("kcache: " + start)
        .contains(part)
        .contains("; " + advice)
        .doesNotContain("apt install");
    assertThat(doctor.exitCode()).isEqualTo(3);
    assertThat(doctor.out()).contains("fail  compiler    " + start, part, "fix: " + advice);
  }

  /** Makes a script, which writes down that it runs, the compiler that is named. */
  private Path named(String script) throws IOException {
    Path runs = directory.resolve("runs");
    Path named = program("named", "echo run >>" + runs + "\n" + script);
    command.environment.put("KCACHE_COMPILER", named.toString());
    return named;
  }

  private void wheel(String site) throws IOException {
    program(site + "/_rocm_sdk_core/bin/hipcc", "exit 1");
    program(site + "/_rocm_sdk_core/lib/llvm/bin/amdclang++", "exit 1");
    if (Files.notExists(directory.resolve("venv/bin"))) {
      program("venv/bin/hipcc", "from rocm_sdk_core._cli import hipcc");
    }
  }

  private Path program(String name, String script) throws IOException {
    return Programs.script(directory.resolve(name), script);
  }
}
