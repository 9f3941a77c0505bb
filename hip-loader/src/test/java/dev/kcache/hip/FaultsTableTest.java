// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of docs/gpu-faults.md, against what processes do whose GPU faults: each row is played
 * by the first and the last version that it is for.
 */
class FaultsTableTest {
  /**
   * A runtime.
   *
   * @param number that HIP claims to be; 0 for the stand-in's own
   */
  private record Played(Version version, int number) {
    private static Played as(Version version, int major, int minor) {
      return new Played(version, major * 10_000_000 + minor * 100_000);
    }

    private static Played of(Version version) {
      return new Played(version, 0);
    }
  }

  private static final Map<String, List<Played>> ROWS =
      Map.of(
          "5.0, 5.1", List.of(Played.as(Version.HIP_5_2, 5, 0), Played.as(Version.HIP_5_2, 5, 1)),
          "5.2", List.of(Played.of(Version.HIP_5_2)),
          "5.3 to 6.3", List.of(Played.as(Version.HIP_5_2, 5, 3), Played.as(Version.HIP_6_4, 6, 3)),
          "6.4", List.of(Played.of(Version.HIP_6_4)),
          "7.0, 7.1", List.of(Played.as(Version.HIP_7_2, 7, 0), Played.as(Version.HIP_7_2, 7, 1)),
          "7.2", List.of(Played.of(Version.HIP_7_2)),
          "7.3 and newer, 10",
              List.of(Played.as(Version.HIP_7_2, 10, 0), Played.as(Version.HIP_7_2, 7, 3)),
          "HSA alone", List.of(Played.of(Version.HSA_5_2), Played.of(Version.HSA_6_4)),
          "NVIDIA", List.of(Played.of(Version.CUDA_13_0)));

  /** What the kernel of each column's cells does; NVIDIA's driver knows no difference. */
  private static final List<List<String>> COLUMNS =
      List.of(List.of("page", "hang"), List.of("trap"));

  private static final String EXCEPTION = "exception";
  private static final String END = "the process ends";
  private static final String UNASKED = "also if not asked";
  private static final String WARNING = "WARNING: a GPU fault will end the process: ";

  private static List<List<String>> table() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("..", "docs", "gpu-faults.md"))) {
      return lines
          .dropWhile(line -> !line.startsWith("| HIP | memory fault, GPU hang |"))
          .skip(2)
          .takeWhile(line -> line.startsWith("|"))
          .map(line -> Stream.of(line.split("\\|", -1)).map(String::strip).toList())
          .map(cells -> cells.subList(1, 5))
          .toList();
    }
  }

  private static Finished run(Played played, String fault, boolean asked) throws IOException {
    Version version = played.version();
    boolean cuda = version == Version.CUDA_13_0;
    String hsa = cuda || version.isHsa() ? "" : ";hsa=" + StandIn.hsa();
    String settings =
        "devices=%s;fault=%s;version=%d%s"
            .formatted(cuda ? "sm_90" : "gfx90a", fault, played.number(), hsa);
    // Where the runtime looks at it, a core may be written.
    FaultProcess process =
        new FaultProcess(StandIn.build(version), settings)
            .limited(version == Version.HIP_7_2 ? "ulimit -S -c 1" : "ulimit -S -c 0");
    return (asked ? process.surviving() : process).run(GpuFaultProbe.class, "0:fault");
  }

  /** Returns what the process of a fault came to, in the words of the table. */
  private static String outcome(Finished finished) {
    if (finished.status() == FaultProcess.ABORTED) {
      return END;
    }
    boolean thrown = finished.output().contains("Exception: hip") && finished.status() == 1;
    return thrown && !finished.output().contains("waited") ? EXCEPTION : finished.toString();
  }

  @Test
  void table_hasEveryRowAndSaysHowEachCellIsKnown() throws IOException {
    assertThat(table().stream().map(row -> row.get(0)))
        .containsExactlyInAnyOrderElementsOf(ROWS.keySet());
    assertThat(table())
        .allSatisfy(row -> assertThat(row.subList(1, 3)).allMatch(cell -> cell.contains("played")));
  }

  static Stream<List<String>> rows() throws IOException {
    return table().stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void row_saysWhatProcessesDo(List<String> row) throws IOException {
    List<Played> all = ROWS.get(row.get(0));
    // The last is nearest to another row.
    int first = Boolean.getBoolean("kcache.faults.all") ? 0 : all.size() - 1;
    for (Played played : all.subList(first, all.size())) {
      for (int column = 0; column < COLUMNS.size(); column++) {
        String cell = row.get(column + 1);
        for (String fault : COLUMNS.get(column)) {
          Finished asked = run(played, fault, true);
          assertThat(outcome(asked)).as("%s with %s", fault, played).isEqualTo(said(cell));
          assertThat(asked.output().contains(WARNING))
              .as("%s with %s warns", fault, played)
              .isEqualTo(row.get(3).equals("one warning"));
        }
        if (cell.contains(UNASKED) || row.get(3).contains(UNASKED)) {
          Finished unasked = run(played, COLUMNS.get(column).get(0), false);
          assertThat(outcome(unasked)).as("%s, not asked", played).isEqualTo(EXCEPTION);
        }
      }
    }
  }

  private static String said(String cell) {
    List<String> known = Stream.of(EXCEPTION, END).filter(cell::startsWith).toList();
    return known.isEmpty() ? cell : known.get(0);
  }
}
