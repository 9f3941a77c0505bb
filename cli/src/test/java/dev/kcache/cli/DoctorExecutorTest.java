// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.toolchain.ToolchainCandidate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The check of other machines' compilers. A real farm is asked in the tour of a fleet. */
class DoctorExecutorTest extends CommandTestBase {
  private static final String SERVER = "grpc://farm.example.com";
  private static final ToolchainCandidate HIPCC =
      new ToolchainCandidate("hipcc", true, true, "/usr/bin/hipcc, HIP 6.4.3", Optional.empty());

  private static Check check(Map<String, String> environment, ToolchainCandidate... all) {
    return ExecutorCheck.of(environment, List.of(all)).orElseThrow();
  }

  private static ToolchainCandidate remote(boolean present, String description) {
    return new ToolchainCandidate("remote", present, false, description, Optional.empty());
  }

  @Test
  void compilerAndMachines_areNamed() {
    ToolchainCandidate there = remote(true, "/opt/rocm/bin/hipcc of " + SERVER + ", HIP 6.4.3");
    assertThat(
            check(
                Map.of(
                    "KCACHE_EXECUTOR", SERVER, "KCACHE_EXECUTOR_PLATFORM", "image=x@sha256:01,a=b"),
                HIPCC,
                there))
        .isEqualTo(
            Check.ok("executor", there.description() + ", on machines with image=x@sha256:01,a=b"));
    assertThat(
            check(Map.of("KCACHE_EXECUTOR", SERVER, "KCACHE_EXECUTOR_PLATFORM", "a=b"), there)
                .detail())
        .endsWith(
            ", on machines with a=b, which name no image by its digest: each process asks anew");
    assertThat(check(Map.of("KCACHE_EXECUTOR", SERVER), there))
        .isEqualTo(
            Check.warn(
                "executor",
                there.description() + ", on any machine",
                "set KCACHE_EXECUTOR_PLATFORM, the image by its digest"));
  }

  @Test
  void whatIsWrong_isToldWithWhatToDo() {
    assertThat(
            check(
                Map.of("KCACHE_EXECUTOR", SERVER, "KCACHE_EXECUTOR_PLATFORM", "a=b"),
                remote(false, SERVER + " has no hipcc; name an image with one")))
        .isEqualTo(
            Check.warn(
                "executor",
                SERVER + " has no hipcc, on machines with a=b",
                "name an image with one"));
    assertThat(check(Map.of("KCACHE_EXECUTOR", SERVER), HIPCC))
        .isEqualTo(
            Check.warn(
                "executor",
                "KCACHE_EXECUTOR is set, but hipcc is asked for, and nothing here speaks to it",
                "add the artifact dev.kcache:kcache-reapi, to the command by 'mvn -f"
                    + " kcache-*/share/engine.xml -Dengine=reapi dependency:copy-dependencies'"));
  }

  @Test
  void engineThatIsMissing_isToldOnceByTheCheckOfTheCompiler() {
    ToolchainCandidate unused =
        new ToolchainCandidate("hipcc", true, false, HIPCC.description(), Optional.empty());
    assertThat(ExecutorCheck.of(Map.of("KCACHE_EXECUTOR", SERVER), List.of(unused))).isEmpty();
  }

  @Test
  void executorThatDoesNotAnswer_isMadeUpForByWhatIsKept() {
    succeeds("prewarm", command.kernel("a.hip"), "--arch", "gfx90a");
    String none = directory.toString();
    put("KCACHE_HIP_LIBRARY", none, "PATH", none, "KCACHE_ARCH", "gfx90a");
    put("KCACHE_EXECUTOR", "grpc://127.0.0.1:1");
    command.realCompiler = true;

    assertThat(succeeds("doctor").out())
        .contains("warn  compiler    grpc://127.0.0.1:1 compiles nothing: ")
        .contains("note  cached      1 entry for gfx90a with label 5.2; nothing else can be had\n");
    put("KCACHE_ARCH", "gfx942");
    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .contains(
            "fail  cached      nothing for gfx942, and nothing can be compiled; the cache and");
  }

  @Test
  void platformThatIsNone_isOneFailure() {
    succeeds("prewarm", command.kernel("a.hip"), "--arch", "gfx90a");
    String none = directory.toString();
    put("KCACHE_HIP_LIBRARY", none, "PATH", none, "KCACHE_ARCH", "gfx90a");
    put("HIP_PLATFORM", "foo");
    command.realCompiler = true;

    assertThat(ends(ExitCode.UNAVAILABLE, "doctor").out())
        .containsOnlyOnce("fail  ")
        .contains("fail  compiler    HIP_PLATFORM='foo' is neither amd nor nvidia");
  }

  @Test
  void report_hasItWhereAnExecutorIsSet() {
    // Without this machine's hiprtc, which would be asked in a process of its own.
    String none = directory.toString();
    put("KCACHE_HIP_LIBRARY", none, "PATH", none, "KCACHE_ARCH", "gfx90a");
    assertThat(command.run("doctor").out()).doesNotContain("executor");
    put("KCACHE_EXECUTOR", "grpc://127.0.0.1:1", "KCACHE_GRPC_HEADERS", "key=secret");
    put("KCACHE_EXECUTOR_PLATFORM", "container-image=docker://rocm@sha256:01");

    Run run = command.run("doctor");

    assertThat(run.out())
        .containsPattern(
            "warn  executor    grpc://127.0.0.1:1 compiles nothing: .*refused.*,"
                + " on machines with container-image=docker://rocm@sha256:01\n"
                + " +fix: see docs/executor.md\n")
        .doesNotContain("secret");
    assertThat(command.run("doctor", "--json").out())
        .contains("{\"name\":\"executor\",\"status\":\"warn\",\"detail\":\"grpc://")
        .doesNotContain("secret");
  }
}
