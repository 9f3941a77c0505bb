// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A fault of AMD's GPU that a process is asked to survive, in a process of its own. */
class SurvivalTest {
  private static final int ABORTED = 128 + 6;

  private static final String FAULT =
      "memory fault on device 0 at address 0x12000 (the page is not present);"
          + " the kernel in flight was fault";

  private Finished run(Version version, String settings, String... arguments) throws IOException {
    return run(
        StandIn.build(version), Map.of("KCACHE_SURVIVE_GPU_FAULTS", "1"), settings, arguments);
  }

  /**
   * Runs {@link SurvivalProbe}, with a limit: a hang gives 137. Where the runtime looks at it, a
   * core may be written.
   */
  private Finished run(
      StandIn standIn, Map<String, String> variables, String settings, String... arguments)
      throws IOException {
    String core = standIn.version() == Version.HIP_7_2 ? "ulimit -S -c 1" : "ulimit -S -c 0";
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", core + " && exec timeout -s KILL 60 \"$@\"", "sh"));
    command.addAll(RuntimeProbe.java());
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), SurvivalProbe.class.getName()));
    command.addAll(List.of(arguments));
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("KCACHE_HIP_LIBRARY", standIn.library().toString());
    environment.put(StandIn.ENVIRONMENT, "async=1;devices=gfx90a,gfx1030;" + settings);
    return Finished.run(command, Path.of("."), environment);
  }

  private static String hsa() {
    return "hsa=" + StandIn.hsa();
  }

  @ParameterizedTest
  @CsvSource({
    "HIP_5_2, exit", "HIP_5_2, return", "HIP_5_2, halt",
    "HIP_6_4, exit", "HIP_6_4, return", "HIP_6_4, halt",
    "HIP_7_2, exit", "HIP_7_2, return", "HIP_7_2, halt",
  })
  void memoryFault_isAnExceptionForAllWhoWaitAndTheProcessEndsInOrder(Version version, String end)
      throws IOException {
    Finished finished = run(version, hsa(), version.name(), end);

    assertThat(finished.output().lines())
        .contains(
            "kcache: GPU " + FAULT,
            "stream: 700 [fault]",
            "event: 700 [fault]",
            "device: 700 [fault]",
            "launch: 700 [fault]",
            "copy: 700 [fault]",
            "load: 700 [fault]",
            "function: 700 [fault]",
            "global: 700 [fault]",
            "free memory: 700 [fault]",
            "record: 700 [fault]",
            "other device: 700 [fault]",
            "devices: 700 [fault]",
            "calls after: 0");
    assertThat(finished.output())
        .contains(
            ": hipErrorIllegalAddress (700): "
                + FAULT
                + "; every device of this process is lost until it ends");
    if (!end.equals("halt")) {
      assertThat(finished.output().lines()).contains("hook");
    }
    assertThat(finished.status()).isEqualTo(end.equals("return") ? 0 : 7);
  }

  /** Asked for by the program, and not by the variable. */
  @ParameterizedTest
  @CsvSource({"HIP_5_2", "HIP_6_4", "HIP_7_2"})
  void hang_isAnExceptionToo(Version version) throws IOException {
    Finished finished =
        run(
            StandIn.build(version),
            Map.of(),
            hsa() + ";fault=hang",
            version.name(),
            "exit",
            "asks");

    assertThat(finished.output()).contains("stream: 719 [fault]", "calls after: 0");
    assertThat(finished.status()).isEqualTo(7);
  }

  /** There is no event of a trap; up to 6.4 the runtime aborts, whatever anybody says. */
  @ParameterizedTest
  @CsvSource({"HIP_5_2", "HIP_6_4", "HIP_7_2"})
  void trap_isAnExceptionSince7(Version version) throws IOException {
    Finished finished = run(version, hsa() + ";fault=trap", version.name(), "exit");

    if (version == Version.HIP_7_2) {
      assertThat(finished.output())
          .contains(
              "stream: 719 [fault]",
              "hipErrorLaunchFailure (719): the kernel in flight was fault; every device",
              "calls after: 0");
      assertThat(finished.status()).isEqualTo(7);
    } else {
      assertThat(finished.output()).doesNotContain("stream: ");
      assertThat(finished.status()).isEqualTo(ABORTED);
    }
  }

  @Test
  void notAsked_theRuntimeEndsTheProcess() throws IOException {
    Finished finished =
        run(StandIn.build(Version.HIP_6_4), Map.of(), hsa(), Version.HIP_6_4.name(), "exit");

    assertThat(finished.output()).doesNotContain("stream: ");
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  /** The runtime's own teardown would hang, if it were not skipped. */
  @Test
  void trapThatTheNewestRuntimeSurvivesUnasked_letsTheProcessEnd() throws IOException {
    Finished finished =
        run(
            StandIn.build(Version.HIP_7_2),
            Map.of(),
            hsa() + ";fault=trap",
            Version.HIP_7_2.name(),
            "return");

    assertThat(finished.output()).contains("stream: dev.kcache.hip.HipException: ", "hook");
    assertThat(finished.status()).isZero();
  }

  @Test
  void libraryWithoutEvents_givesAWarningAndTheRuntimeEndsTheProcess() throws IOException {
    String old = "hsa=" + StandIn.hsa("hsa_amd_register_system_event_handler");
    Finished finished = run(Version.HIP_6_4, old, Version.HIP_6_4.name(), "exit");

    assertThat(finished.output())
        .contains(
            "a GPU fault will end the process and name no kernel:"
                + " libhsa-runtime64 is not loaded, or too old");
    assertThat(finished.status()).isEqualTo(ABORTED);
  }
}
