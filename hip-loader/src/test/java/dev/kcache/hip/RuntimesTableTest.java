// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of docs/runtimes.md, against what the stand-ins do. */
class RuntimesTableTest {
  /** Of each column: all that there are. */
  private static final List<List<Version>> VERSIONS =
      List.of(
          List.of(Version.HIP_5_2, Version.HIP_6_4, Version.HIP_7_2),
          List.of(Version.HSA_5_2, Version.HSA_6_4),
          List.of(Version.CUDA_13_0));

  private static final String HIDDEN = "/dev/kcache/hip/standin/kernels/hidden-v%d-gfx90a.co";

  private static final String MISSING = "untried";

  /** Tries something; returns the cell. */
  private interface Trial {
    String of(StandIn standIn, HipDevice device);
  }

  private static final Map<String, Trial> TRIALS =
      Map.of(
          "memory in the order of a stream, `HipStream.allocate`",
          (standIn, device) -> cell(device.supportsStreamAllocation()),
          "priorities of streams",
          RuntimesTableTest::priorities,
          "kernels that call `printf`, `assert` or `malloc`",
          RuntimesTableTest::printing,
          "PTX",
          RuntimesTableTest::ptx,
          "`HIP_VISIBLE_DEVICES`",
          (standIn, device) -> visibleDevices(standIn));

  private static String cell(boolean can) {
    return can ? "yes" : "no";
  }

  private static String priorities(StandIn standIn, HipDevice device) {
    int unlike = standIn.lastPriority() - 1;
    device.createStream(unlike).close();
    return cell(standIn.lastPriority() == unlike);
  }

  /** There is no code of such a kernel for NVIDIA. */
  private static String printing(StandIn standIn, HipDevice device) {
    if (standIn.version() == Version.CUDA_13_0) {
      return MISSING;
    }
    int codeObject = standIn.version().major() == 5 ? 4 : 5;
    try (HipModule code = device.load(TestImages.codeObject(HIDDEN.formatted(codeObject)))) {
      return cell(code.function("prints").name().equals("prints"));
    } catch (UnsupportedByRuntimeException e) {
      assertThat(e.code()).isEqualTo(801);
      return cell(false);
    }
  }

  private static String ptx(StandIn standIn, HipDevice device) {
    try (HipModule code = device.load(TestImages.codeObject(TestImages.KNOWN_PTX))) {
      return cell(code.functionNames().contains("vadd"));
    } catch (IncompatibleTargetException e) {
      return cell(false);
    }
  }

  private static String visibleDevices(StandIn standIn) {
    boolean hsa = standIn.version().isHsa();
    String device = standIn.version().defaultDevice();
    String devices =
        RuntimeProbe.run(
                Map.of(
                    hsa ? "KCACHE_HSA_LIBRARY" : "KCACHE_HIP_LIBRARY",
                    standIn.library().toString(),
                    "KCACHE_RUNTIME",
                    HipRuntime.at(standIn.library()).kind().toString(),
                    StandIn.ENVIRONMENT,
                    "devices=" + device + "," + device,
                    "HIP_VISIBLE_DEVICES",
                    "1"))
            .lines()
            .toList()
            .get(3);
    return cell(!devices.contains("1: "));
  }

  private static List<List<String>> table() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("..", "docs", "runtimes.md"))) {
      return lines
          .dropWhile(line -> !line.startsWith("| what | HIP | HSA | CUDA |"))
          .skip(2)
          .takeWhile(line -> line.startsWith("|"))
          .map(line -> Stream.of(line.split("\\|", -1)).map(String::strip).toList())
          .map(cells -> cells.subList(1, 5))
          .toList();
    }
  }

  @Test
  void table_saysWhatEachRuntimeDoes() throws IOException {
    List<List<String>> tried = new ArrayList<>();
    for (List<String> row : table()) {
      List<String> cells = new ArrayList<>(row.subList(0, 1));
      for (List<Version> versions : VERSIONS) {
        Set<String> found = new TreeSet<>();
        for (Version version : versions) {
          StandIn standIn = StandIn.build(version).reset();
          HipDevice device = HipRuntime.at(standIn.library()).devices().get(0);
          found.add(TRIALS.get(row.get(0)).of(standIn, device));
        }
        cells.add(String.join(", ", found));
      }
      tried.add(cells);
    }
    assertThat(tried).hasSize(TRIALS.size()).isEqualTo(table());
  }
}
