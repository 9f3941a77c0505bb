// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a user sees of a GPU's fault with HSA alone, in a process of its own. */
class HsaFaultTest {
  private static final String FAULT =
      "memory fault on device 0 at address 0x12000 (the page is not present);"
          + " the kernel in flight was fault";

  private static final String LOST =
      "hipStreamSynchronize: hipErrorIllegalAddress (700): "
          + FAULT
          + "; this device is lost until the process ends";

  private static final String DEPENDENT =
      "dependent: dev.kcache.hip.HipException: hipStreamSynchronize: hipErrorIllegalAddress (700):"
          + " it waits for another device, which is lost: "
          + FAULT;

  private static final String DEVICES = "devices=gfx90a,gfx1030,gfx90a;";

  private static FaultProcess process(Version version, String settings) {
    return new FaultProcess(StandIn.build(version), DEVICES + settings).with("-Xcheck:jni");
  }

  private static Finished faults(Version version, String settings, String... arguments)
      throws IOException {
    return process(version, settings).run(GpuFaultProbe.class, arguments);
  }

  private static Finished survives(Version version, String settings, String end)
      throws IOException {
    return process(version, settings).surviving().run(SurvivalProbe.class, version.name(), end);
  }

  private static List<String> lines(Finished finished) {
    return finished.output().lines().filter(line -> line.startsWith("kcache: ")).toList();
  }

  /** A kernel that is over is never named, though nobody waited for it. */
  @ParameterizedTest
  @EnumSource(names = {"HSA_5_2", "HSA_6_4"})
  void fault_namesTheKernelThatRanAndTheRuntimeEndsTheProcess(Version version) throws IOException {
    Finished finished = faults(version, "fault=page", "1:empty", "0:empty", "wait", "0:fault");

    assertThat(lines(finished)).containsExactly("kcache: GPU " + FAULT);
    assertThat(finished.output()).doesNotContain("FATAL ERROR in native method");
    assertThat(finished.output())
        .contains("waiting", "Memory access fault by GPU node-1 on address 0x12000");
    assertThat(finished.output()).doesNotContain("waited");
    assertThat(finished.status()).isEqualTo(FaultProcess.ABORTED);
  }

  @Test
  void faultOfTheSecondDevice_namesItsKernel() throws IOException {
    Finished finished = faults(Version.HSA_6_4, "fault=page", "0:empty", "1:fault");

    assertThat(lines(finished))
        .containsExactly("kcache: GPU " + FAULT.replace("device 0", "device 1"));
    assertThat(finished.output()).contains("by GPU node-2");
    assertThat(finished.status()).isEqualTo(FaultProcess.ABORTED);
  }

  @Test
  void hang_isToldAsSuch() throws IOException {
    Finished finished = faults(Version.HSA_6_4, "fault=hang", "1:fault");

    assertThat(lines(finished))
        .containsExactly(
            "kcache: GPU hardware exception on device 1 (the GPU hung);"
                + " the kernel in flight was fault");
    assertThat(finished.status()).isEqualTo(FaultProcess.ABORTED);
  }

  /** The runtime's thread of events has the default stack. */
  @ParameterizedTest
  @CsvSource({"192, 0", "256, 1"})
  void stackOfTheRuntimesThreads_decidesWhetherJavaCanRunThere(int kibibytes, int told)
      throws IOException {
    Finished finished =
        process(Version.HSA_6_4, "fault=page")
            .limited("ulimit -c 0 && ulimit -s " + kibibytes)
            .run(GpuFaultProbe.class, "0:fault");

    assertThat(lines(finished)).hasSize(told);
    assertThat(finished.status()).isEqualTo(FaultProcess.ABORTED);
  }

  /** The event comes late, so that calls go to the dead device before it. */
  @ParameterizedTest
  @CsvSource({"HSA_5_2, exit", "HSA_6_4, return", "HSA_6_4, halt"})
  void memoryFault_isAnExceptionForAllWhoWaitAndOtherDevicesGoOn(Version version, String end)
      throws IOException {
    Finished finished = survives(version, "fault=page;told=300000", end);

    assertThat(finished.output().lines())
        .contains(
            "kcache: GPU " + FAULT,
            "stream: 700 [fault]",
            "event: 700 [fault]",
            "device: 700 [fault]",
            "loads: 700 [fault]",
            "closes: 700 [fault]",
            "launch: 700 [fault]",
            "copy: 700 [fault]",
            "load: 700 [fault]",
            "function: 700 [fault]",
            "global: 700 [fault]",
            "free memory: 700 [fault]",
            "record: 700 [fault]",
            "calls after: 0",
            "other device: done",
            "devices: done",
            LOST)
        .anyMatch(line -> line.startsWith(DEPENDENT))
        .noneMatch(line -> line.startsWith("FATAL ERROR in native method"));
    if (!end.equals("halt")) {
      assertThat(finished.output().lines()).contains("hook");
    }
    assertThat(finished.status()).isEqualTo(end.equals("return") ? 0 : 7);
  }

  /** Who launched it would wait for ever. */
  @Test
  void faultOfSomebodyElsesWork_isNotSurvived() throws IOException {
    Finished finished =
        process(Version.HSA_6_4, "fault=page")
            .surviving()
            .run(ForeignFaultProbe.class, Version.HSA_6_4.name());

    assertThat(lines(finished))
        .containsExactly(
            "kcache: GPU memory fault on device 0 at address 0x34000 (the page is not present);"
                + " kcache had no kernel in flight there");
    assertThat(finished.output()).doesNotContain("goes on");
    assertThat(finished.status()).isEqualTo(FaultProcess.ABORTED);
  }

  /** Asked for by the program, and not by the variable. */
  @Test
  void hang_isAnExceptionToo() throws IOException {
    Finished finished =
        process(Version.HSA_6_4, "fault=hang;told=300000")
            .run(SurvivalProbe.class, Version.HSA_6_4.name(), "exit", "asks");

    assertThat(finished.output())
        .contains("stream: 719 [fault]", "calls after: 0", "other device: done");
    assertThat(finished.status()).isEqualTo(7);
  }

  /** With a stack as small as can be, the handler still ends all waits. */
  @Test
  void smallStack_isEnoughToSurvive() throws IOException {
    Finished finished =
        process(Version.HSA_6_4, "fault=page")
            .surviving()
            .limited("ulimit -c 0 && ulimit -s 256")
            .run(SurvivalProbe.class, Version.HSA_6_4.name(), "exit");

    assertThat(finished.output()).contains("stream: 700 [fault]", "other device: done");
    assertThat(finished.status()).isEqualTo(7);
  }

  /** A trap is an error of the queue, which is an exception also if nobody asked. */
  @Test
  void trap_isAnExceptionOfTheQueue() throws IOException {
    Finished finished = survives(Version.HSA_6_4, "fault=trap", "exit");

    assertThat(finished.output())
        .contains(
            "stream: dev.kcache.hip.HipException: hipStreamSynchronize: hipErrorLaunchFailure"
                + " (719): the kernel fault failed with EXCEPTION (0x1016)")
        .contains("other device: done");
    assertThat(finished.status()).isEqualTo(7);
  }

  @Test
  void libraryWithoutEvents_givesAWarningAndTheRuntimeEndsTheProcess() throws IOException {
    StandIn old = StandIn.build(Version.HSA_6_4).without("hsa_amd_register_system_event_handler");
    Finished finished =
        new FaultProcess(old, DEVICES + "fault=page")
            .surviving()
            .run(SurvivalProbe.class, Version.HSA_6_4.name(), "exit");

    assertThat(finished.output())
        .contains(
            "a GPU fault will end the process and name no kernel:"
                + " libhsa-runtime64 is not loaded, or too old");
    assertThat(finished.status()).isEqualTo(FaultProcess.ABORTED);
  }
}
