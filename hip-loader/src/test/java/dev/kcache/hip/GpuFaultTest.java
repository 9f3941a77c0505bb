// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.HipVersions;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user sees of a GPU's fault with AMD's runtime, which mostly ends the process. */
class GpuFaultTest {
  private static final int ABORTED = 128 + 6;
  private static final String TWO_DEVICES = "async=1;devices=gfx90a,gfx1030";

  /** The library's own message, before it ends the process. */
  private static final String ABORT = "Memory access fault by GPU node-%d on address 0x12000";

  @TempDir private Path directory;

  /**
   * Runs {@link GpuFaultProbe}.
   *
   * @param limits what a shell is to set before
   */
  private Finished run(
      StandIn standIn, String settings, String limits, List<String> options, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", limits + " && exec \"$@\"", "sh"));
    command.addAll(RuntimeProbe.java());
    command.addAll(options);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), GpuFaultProbe.class.getName()));
    command.addAll(List.of(arguments));
    Map<String, String> environment = new HashMap<>();
    environment.put("KCACHE_HIP_LIBRARY", standIn.library().toString());
    environment.put(StandIn.ENVIRONMENT, settings);
    return Finished.run(command, directory, environment);
  }

  private Finished run(Version version, String... arguments) throws IOException {
    String settings = TWO_DEVICES + ";hsa=" + StandIn.hsa();
    // The newest runtime ends the process only if a core is to be written.
    String core = version == Version.HIP_7_2 ? "ulimit -c 1" : "ulimit -c 0";
    return run(StandIn.build(version), settings, core, List.of(), arguments);
  }

  private static List<String> lines(Finished finished) {
    return finished.output().lines().filter(line -> line.startsWith("kcache: ")).toList();
  }

  @ParameterizedTest
  @HipVersions
  void fault_ofTheOnlyKernelInFlight_namesItAndTheRuntimeEndsTheProcess(Version version)
      throws IOException {
    Finished finished = run(version, "0:empty", "wait", "0:fault");

    assertThat(lines(finished))
        .containsExactly(
            "kcache: GPU memory fault on device 0 at address 0x12000 (the page is not present);"
                + " the kernel in flight was fault");
    assertThat(finished.output()).contains("waiting", ABORT.formatted(1));
    assertThat(finished.output()).doesNotContain("waited");
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  @ParameterizedTest
  @HipVersions
  void fault_ofOneOfThreeStreams_namesAllThree(Version version) throws IOException {
    Finished finished = run(version, "0:empty", "1:bounded", "0:bounded", "0:fault");

    assertThat(lines(finished)).singleElement().asString().contains("device 0", "in flight were ");
    String names = lines(finished).get(0).replaceFirst(".*in flight were ", "");
    assertThat(names.split(", ")).containsExactlyInAnyOrder("empty", "bounded", "fault");
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  @ParameterizedTest
  @HipVersions
  void fault_ofTheSecondDevice_namesItsKernelsOnly(Version version) throws IOException {
    Finished finished = run(version, "0:empty", "1:fault");

    assertThat(lines(finished))
        .containsExactly(
            "kcache: GPU memory fault on device 1 at address 0x12000 (the page is not present);"
                + " the kernel in flight was fault");
    assertThat(finished.output()).contains(ABORT.formatted(2));
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  @Test
  void hang_isToldAsSuch() throws IOException {
    String settings = TWO_DEVICES + ";fault=hang;hsa=" + StandIn.hsa();
    Finished finished =
        run(StandIn.build(Version.HIP_6_4), settings, "ulimit -c 0", List.of(), "1:fault");

    assertThat(lines(finished))
        .containsExactly(
            "kcache: GPU hardware exception on device 1 (the GPU hung);"
                + " the kernel in flight was fault");
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  /** HIP waits for its kernels at the end, when Java can't run what names them. */
  @ParameterizedTest
  @ValueSource(strings = {"exit", "return"})
  void fault_whileTheProcessEnds_namesItsKernelAndDoesNotHang(String end) throws IOException {
    String settings = TWO_DEVICES + ";delay=300000;hsa=" + StandIn.hsa();
    Finished finished =
        run(StandIn.build(Version.HIP_6_4), settings, "ulimit -c 0", List.of(), "0:fault", end);

    assertThat(lines(finished)).singleElement().asString().endsWith("in flight was fault");
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  /** ROCm 5 and 6 link the library; a newer one may load it by its name. */
  @Test
  void library_thatTheRuntimeIsLinkedWith_isFound() throws IOException {
    Finished finished =
        run(
            StandIn.build(Version.HIP_6_4).linkedWithHsa(),
            TWO_DEVICES,
            "ulimit -c 0",
            List.of(),
            "0:fault");

    assertThat(lines(finished)).hasSize(1);
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  @Test
  void libraryWithoutEvents_isAsBefore() throws IOException {
    Path old = StandIn.hsa("hsa_amd_register_system_event_handler");
    Finished finished =
        run(
            StandIn.build(Version.HIP_6_4),
            TWO_DEVICES + ";hsa=" + old,
            "ulimit -c 0",
            List.of(),
            "0:fault");

    assertThat(lines(finished)).isEmpty();
    assertThat(finished.output()).contains(ABORT.formatted(1));
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  /** Java can't run on such a thread, and JNA would tell the library that all is taken care of. */
  @Test
  void libraryWhoseThreadsHaveASmallStack_isAsBefore() throws IOException {
    Finished finished =
        run(
            StandIn.build(Version.HIP_6_4),
            TWO_DEVICES + ";hsa=" + StandIn.hsa(),
            "ulimit -c 0 && ulimit -s 192",
            List.of(),
            "0:fault");

    assertThat(lines(finished)).isEmpty();
    assertThat(finished.output()).contains(ABORT.formatted(1));
    assertThat(finished.status()).isEqualTo(ABORTED);
  }

  @Test
  void checkedJni_findsNothingWrongWithTheHandler() throws IOException {
    Finished finished =
        run(
            StandIn.build(Version.HIP_5_2),
            TWO_DEVICES + ";hsa=" + StandIn.hsa(),
            "ulimit -c 0",
            List.of("-Xcheck:jni"),
            "0:fault");

    assertThat(lines(finished)).hasSize(1);
    assertThat(finished.output()).doesNotContain("FATAL ERROR");
    assertThat(finished.status()).isEqualTo(ABORTED);
  }
}
