// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import static dev.kcache.toolchain.standin.Invariants.require;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.codeobject.Digest;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.probe.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/**
 * What lists GPUs may print anything: rocminfo, hipinfo, nvidia-smi and the kernel; see {@code
 * scripts/fuzz devices}. The first line also is the user's choice among them.
 */
class DeviceReportFuzzTest {
  private static final Path ROCMINFO = Path.of("/opt/rocm/bin/rocminfo");

  @TempDir static Path nodes;

  @DictionaryEntries({
    "Agent 1\\x0a",
    "  Name:                    gfx90a\\x0a",
    "  Marketing Name:          ",
    "  Device Type:             GPU\\x0a",
    "  Uuid:                    GPU-0123456789abcdef\\x0a",
    "      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-\\x0a",
    "device#                           0\\x0a",
    "gcnArchName:                      gfx1100\\x0a",
    "9.0, GPU-01234567-89ab-cdef-0123-456789abcdef, NVIDIA H200\\x0a",
    "simd_count 416\\x0a",
    "gfx_target_version 90010\\x0a",
    "unique_id 18446744073709551615\\x0a",
    "*** Done ***",
    "Unable to open /dev/kfd read-write: Permission denied\\x0a",
    "is not member of \\x22render\\x22 group",
    "0,1",
    "GPU-0",
    "0x1",
    "\\x1b[32m"
  })
  @FuzzTest
  void parse(byte[] bytes) throws IOException {
    String printed = new String(bytes, UTF_8);
    List<ListedGpu> rocminfo = check(printed, RocminfoReport.parse(printed).gpus());
    check(printed, HipinfoReport.parse(printed));
    List<ListedGpu> nvidia = check(printed, NvidiaDetector.parse(printed));
    List<ListedGpu> all = new ArrayList<>(rocminfo);
    all.addAll(nvidia);
    choose(printed.lines().findFirst().orElse(""), all);
    if (rocminfo.isEmpty()) {
      explain(printed);
    }
    if (printed.contains("simd_count")) {
      readTopology(bytes, printed);
    }
  }

  private static List<ListedGpu> check(String printed, List<ListedGpu> gpus) {
    for (ListedGpu gpu : gpus) {
      require(gpu.target().matches("\\S*"), "a target is a word");
      require(gpu.name().lines().count() <= 1, "a name is a line");
      gpu.uuid().ifPresent(uuid -> require(isPrinted(uuid, printed), "what is told is printed"));
      try {
        require(!gpu.detected("rocminfo", "X").name().isEmpty(), "a device has a name");
      } catch (TargetDetectionException e) {
        require(e.getMessage().lines().count() == 1, "a message is one line");
      }
    }
    return gpus;
  }

  /** Colours may be in the middle of a word. */
  private static boolean isPrinted(String word, String printed) {
    return printed.contains(word) || RocminfoReport.plain(printed).contains(word);
  }

  private static void choose(String value, List<ListedGpu> all) {
    for (boolean hsa : List.of(true, false)) {
      List<ListedGpu> shown = new VisibleDevices("X", value, hsa).of(all);
      require(shown.size() <= all.size() && all.containsAll(shown), "what is shown is there");
    }
  }

  private static void explain(String printed) {
    Host host = new Host(nodes);
    ProgramResult outcome =
        new ProgramResult(
            ProgramResult.End.EXITED, 1, "", printed, Duration.ZERO, Optional.empty());
    Environment variables = new Environment(Map.of());
    for (boolean complete : List.of(true, false)) {
      ListingFailure failure = new ListingFailure(ROCMINFO, outcome, complete, variables, host);
      String line = failure.explain();
      require(line.startsWith(ROCMINFO.toString()), "the tool is named");
      require(line.lines().count() == 1, () -> "an explanation is one line: " + line);
    }
  }

  private static void readTopology(byte[] bytes, String printed) throws IOException {
    Path node = Files.createDirectories(nodes.resolve("1"));
    // To write over a file has some file systems wait for the disk, which took most of the time.
    Files.deleteIfExists(node.resolve("properties"));
    Files.write(node.resolve("properties"), bytes);
    KfdTopology topology = new KfdTopology(nodes);
    List<ListedGpu> gpus = topology.gpus();
    Optional<Digest> digest = topology.digest();
    require(gpus.size() <= 1 && digest.isPresent() == !gpus.isEmpty(), "a GPU has a digest");
    require(digest.equals(topology.digest()), "and always the same one");
    for (ListedGpu gpu : gpus) {
      require(Set.of('g').contains(gpu.target().charAt(0)), "a processor or its version");
      gpu.uuid().ifPresent(uuid -> require(uuid.matches("GPU-[0-9a-f]{16,17}"), uuid));
    }
    require(gpus.equals(topology.gpus()), () -> printed);
  }
}
