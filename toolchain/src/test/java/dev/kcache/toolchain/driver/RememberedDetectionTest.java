// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCacheCodec;
import dev.kcache.toolchain.probe.ProbeResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each call of {@code targets} is a process of its own. */
class RememberedDetectionTest {
  private static final String GFX1030 = "rocminfo.gfx1030.txt";

  @TempDir Path directory;
  private Path memo;
  private FakeHost host;

  @BeforeEach
  void make() throws IOException {
    memo = directory.resolve("home/memo");
    host = host("a").gpu(90010, "5").tool("rocminfo", "rocminfo.mi210x2.txt");
  }

  @Test
  void secondProcess_startsNothing() throws IOException {
    List<DetectedDevice> first = host.detector(Map.of(), Optional.of(memo)).devices();

    assertThat(host.detector(Map.of(), Optional.of(memo)).devices()).isEqualTo(first).hasSize(2);
    assertThat(host.detector(Map.of(), Optional.of(memo)).detect().target())
        .isEqualTo(first.get(0).target());
    assertThat(host.runs()).hasSize(1);
  }

  @Test
  void sameProcess_startsNothing() throws IOException {
    TargetDetector detector = host.detector(Map.of());

    detector.devices();
    detector.devices();
    detector.detect();

    assertThat(host.runs()).hasSize(1);
  }

  @Test
  void twoHostsWithOneHome_eachHasItsOwnAnswer() throws IOException {
    FakeHost other = host("b").named("machine-b", "b");
    other.gpu(110501, "6").tool("rocminfo", "rocminfo.wsl.txt");

    for (int i = 0; i < 3; i++) {
      assertThat(targets(host)).containsOnly("gfx90a:sramecc+:xnack-");
      assertThat(targets(other)).containsExactly("gfx1100");
    }
    assertThat(host.runs()).hasSize(1);
    assertThat(other.runs()).hasSize(1);
  }

  @Test
  void hostsOfOneImage_shareTheMachineIdAndNothingElse() throws IOException {
    host.named("baked", "node1");
    assertThat(targets(host)).hasSize(2);
    int each = memoFiles().size();

    host.named("baked", "node2");
    assertThat(targets(host)).hasSize(2);
    host.named("baked", "node1");
    assertThat(targets(host)).hasSize(2);

    assertThat(host.runs()).hasSize(2);
    assertThat(memoFiles()).hasSize(2 * each);
  }

  @Test
  void containersWithoutMachineId_areToldApartByTheirNames() {
    assertThat(key("", "one")).isNotEqualTo(key("", "two"));
    assertThat(key("id", "one")).isNotEqualTo(key("", "idone"));
    assertThat(key("id", "one")).isEqualTo(key("id", "one"));
  }

  @Test
  void otherXnack_asksAnew() throws IOException {
    String fixture = host.fixture("rocminfo.gfx90a.xnack.txt").toString();
    host.script(
        "rocminfo",
        "[ \"$HSA_XNACK\" = 1 ] && exec cat "
            + fixture
            + "\ncat "
            + host.fixture("rocminfo.gfx90a.txt"));

    for (int i = 0; i < 2; i++) {
      assertThat(targets(host)).containsExactly("gfx90a:sramecc+:xnack-");
      assertThat(targets(host, "HSA_XNACK", "1")).containsExactly("gfx90a:sramecc+:xnack+");
    }
    assertThat(host.runs()).hasSize(2);
  }

  @Test
  void otherHipVisibility_isAppliedToWhatIsRemembered() throws IOException {
    host.tool("rocminfo", "rocminfo.igpu.txt");

    assertThat(targets(host)).containsExactly("gfx1201", "gfx1036");
    assertThat(targets(host, "HIP_VISIBLE_DEVICES", "1")).containsExactly("gfx1036");
    assertThat(targets(host, "CUDA_VISIBLE_DEVICES", "0")).containsExactly("gfx1201");
    assertThatThrownBy(() -> targets(host, "HIP_VISIBLE_DEVICES", "-1"))
        .hasMessageContaining("shows none");
    assertThat(host.runs()).hasSize(1);
  }

  @Test
  void otherRocrVisibility_asksAnewEvenIfEmpty() throws IOException {
    targets(host);
    targets(host, "ROCR_VISIBLE_DEVICES", "");
    targets(host, "ROCR_VISIBLE_DEVICES", "0");

    assertThat(host.runs()).hasSize(3);
  }

  @Test
  void otherTopology_asksAnewAlsoInTheSameProcess() throws IOException {
    TargetDetector detector = host.detector(Map.of(), Optional.of(memo));
    detector.devices();

    host.node(2, "simd_count 416", "gfx_target_version 90010", "unique_id 6");
    detector.devices();
    targets(host);

    assertThat(host.runs()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bin/rocminfo", "dev/kfd", "lib"})
  void whatTheToolDependsOn_asksAnewWhenItChanges(String name) throws IOException {
    Files.createDirectories(directory.resolve("a/lib"));
    Map<String, String> variables =
        Map.of("LD_LIBRARY_PATH", directory.resolve("a/lib").toString());
    host.detector(variables, Optional.of(memo)).devices();
    host.detector(variables, Optional.of(memo)).devices();
    assertThat(host.runs()).hasSize(1);

    Files.setLastModifiedTime(
        directory.resolve("a").resolve(name), FileTime.from(Instant.ofEpochSecond(1)));
    host.detector(variables, Optional.of(memo)).devices();

    assertThat(host.runs()).hasSize(2);
  }

  @Test
  void noGpu_isNotRemembered() throws IOException {
    host.tool("rocminfo", "rocminfo.override11.txt");
    assertThatThrownBy(() -> targets(host)).hasMessageContaining("lists none");

    host.tool("rocminfo", GFX1030);
    assertThat(targets(host)).containsExactly("gfx1030");
  }

  @Test
  void failure_isNotRemembered() throws IOException {
    Path trouble = host.file("trouble", "");
    host.script("rocminfo", "[ -e " + trouble + " ] && exit 1\ncat " + host.fixture(GFX1030));
    assertThatThrownBy(() -> targets(host)).hasMessageContaining("failed");
    assertThat(memo).doesNotExist();

    Files.delete(trouble);
    assertThat(targets(host)).containsExactly("gfx1030");
  }

  @Test
  void unknownProcessor_isNotRemembered() throws IOException {
    host.tool("rocminfo", "rocminfo.unknown.txt");

    assertThat(targets(host, "HIP_VISIBLE_DEVICES", "0")).hasSize(1);

    assertThat(memo).doesNotExist();
  }

  @Test
  void noTopology_isNotRemembered() throws IOException {
    FakeHost wsl = host("wsl").tool("rocminfo", "rocminfo.wsl.txt");

    targets(wsl);
    targets(wsl);

    assertThat(wsl.runs()).hasSize(2);
    assertThat(memo).doesNotExist();
  }

  /** Each depends on a file that is as it was. */
  static List<List<List<String>>> answersToOtherQuestions() {
    return List.of(
        List.of(),
        List.of(List.of("gfx90a", "name")),
        List.of(List.of("gfx0", "name", "")),
        List.of(List.of("gfx942", "name", "", "more")),
        List.of(List.of("6.4.43484", "HIP version")));
  }

  @ParameterizedTest
  @MethodSource("answersToOtherQuestions")
  void memoOfAnotherQuestion_isAsGoodAsNone(List<List<String>> lines) throws IOException {
    ProbeResult foreign = new ProbeResult(lines, Map.of("/missing", "absent"), true);
    targets(host);
    for (Path file : memoFiles()) {
      Files.write(file, ProbeCacheCodec.encodeAnswer(foreign));
    }

    assertThat(targets(host)).containsOnly("gfx90a:sramecc+:xnack-").hasSize(2);
    assertThat(targets(host)).hasSize(2);

    assertThat(host.runs()).hasSize(2);
  }

  @Test
  void memoFileThatIsADirectory_isAsGoodAsNone() throws IOException {
    targets(host);
    Path file = memoFiles().get(0);
    Files.delete(file);
    Files.createDirectories(file.resolve("x"));

    assertThat(targets(host)).hasSize(2);
  }

  @Test
  void hostsThatWroteNothingForAMonth_areForgottenByANewOne() throws IOException {
    targets(host);
    Path old = memoFiles().get(0).getParent();
    Path foreign = Files.createDirectories(memo.resolve("not-a-host"));
    for (Path path : List.of(old, foreign)) {
      Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofDays(31))));
    }
    Path recent = Files.createDirectories(memo.resolve("0123456789abcdef"));
    Files.setLastModifiedTime(recent, FileTime.from(Instant.now().minus(Duration.ofDays(29))));

    targets(host("b").named("machine-b", "b").gpu(90010, "5").tool("rocminfo", GFX1030));

    assertThat(old).doesNotExist();
    assertThat(recent).exists();
    assertThat(foreign).exists();
    assertThat(memoFiles()).hasSize(1);
  }

  private FakeHost host(String name) throws IOException {
    return new FakeHost(directory.resolve(name));
  }

  private List<String> targets(FakeHost machine, String... variables) {
    Map<String, String> environment = new HashMap<>();
    for (int i = 0; i < variables.length; i += 2) {
      environment.put(variables[i], variables[i + 1]);
    }
    return machine.detector(environment, Optional.of(memo)).devices().stream()
        .map(device -> device.target().toString())
        .toList();
  }

  private List<Path> memoFiles() throws IOException {
    try (Stream<Path> files = Files.walk(memo)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private String key(String machineId, String hostname) {
    try {
      return new Host(host("key").named(machineId, hostname).root).key();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
