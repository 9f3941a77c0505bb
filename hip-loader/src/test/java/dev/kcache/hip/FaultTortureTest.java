// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Faults of a GPU in many processes, two at a time, with every runtime: each is told or survived,
 * and none hangs. {@code scripts/torture faults} says how many.
 */
@Tag("torture")
class FaultTortureTest {
  private static final int ROUNDS = Integer.getInteger("kcache.torture.rounds", 24);
  private static final long SEED = Long.getLong("kcache.torture.seed", 1);

  private static final List<Version> VERSIONS = List.of(Version.values());
  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final List<String> ENDS = List.of("exit", "return", "halt");

  /** What the kernel does. */
  private enum Kind {
    PAGE,
    HANG,
    TRAP;

    String setting() {
      return "fault=" + name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One process.
   *
   * @param told microseconds until HSA tells the fault
   * @param delay microseconds of each operation
   */
  private record Round(
      int number, Version version, Kind kind, boolean survives, String end, int told, int delay) {
    static Round of(int number) {
      Random random = new Random(SEED * 1_000_003 + number);
      return new Round(
          number,
          VERSIONS.get(number % VERSIONS.size()),
          KINDS.get(random.nextInt(3)),
          random.nextInt(4) > 0,
          ENDS.get(random.nextInt(3)),
          random.nextInt(50_000),
          random.nextBoolean() ? 0 : random.nextInt(20_000));
    }

    private boolean isCuda() {
      return version == Version.CUDA_13_0;
    }

    private String settings() {
      String devices = isCuda() ? "sm_90,sm_80,sm_90" : "gfx90a,gfx1030,gfx90a";
      String hsa = isCuda() || version.isHsa() ? "" : ";hsa=" + StandIn.hsa();
      return "devices=%s;%s;told=%d;delay=%d%s"
          .formatted(devices, kind.setting(), told, delay, hsa);
    }

    /** The newest HIP survives by itself, unless a core may be written. */
    private String limits() {
      return version == Version.HIP_7_2 ? "ulimit -S -c 1" : "ulimit -S -c 0";
    }

    Finished run() throws IOException {
      FaultProcess process = new FaultProcess(StandIn.build(version), settings()).limited(limits());
      return survives
          ? process.surviving().run(SurvivalProbe.class, version.name(), end)
          : process.run(GpuFaultProbe.class, "1:empty", "0:fault");
    }

    /** Returns whether the runtime ends the process. */
    private boolean aborts() {
      if (kind == Kind.TRAP) {
        return version == Version.HIP_5_2 || version == Version.HIP_6_4;
      }
      return !isCuda() && !survives;
    }

    /** Returns what is wrong with the outcome; nothing if it is as it should be. */
    String problem(Finished finished) {
      int status = survives ? (end.equals("return") ? 0 : 7) : 1;
      boolean right =
          aborts()
              ? finished.status() == FaultProcess.ABORTED
              : finished.status() == status && namesKernel(finished.output());
      // No event tells of a trap, nor does CUDA.
      boolean line = finished.output().contains("kcache: GPU ");
      boolean event = !isCuda() && kind != Kind.TRAP;
      return right && line == event ? "" : "%s gave %s".formatted(this, finished);
    }

    private boolean namesKernel(String output) {
      List<String> waits = survives ? List.of("stream: ", "event: ", "device: ") : List.of("");
      return waits.stream()
          .allMatch(
              wait ->
                  output.lines().anyMatch(line -> line.startsWith(wait) && line.contains("fault")));
    }
  }

  @Test
  void faults_areToldOrSurvivedAndNothingHangs() throws InterruptedException, ExecutionException {
    for (Version version : VERSIONS) {
      StandIn unused = StandIn.build(version);
    }
    ExecutorService children = Executors.newFixedThreadPool(2);
    List<Future<String>> outcomes = new ArrayList<>();
    Map<Version, Integer> counts = new EnumMap<>(Version.class);
    for (int i = 0; i < ROUNDS; i++) {
      Round round = Round.of(i);
      counts.merge(round.version(), 1, Integer::sum);
      Callable<String> child = () -> round.problem(round.run());
      outcomes.add(children.submit(child));
    }
    List<String> problems = new ArrayList<>();
    for (Future<String> outcome : outcomes) {
      problems.add(outcome.get());
    }
    children.shutdown();
    System.out.println(ROUNDS + " faults, by runtime " + counts + ", seed " + SEED);
    problems.removeIf(String::isEmpty);
    assertThat(problems).isEmpty();
  }
}
