// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.driver.FakeHost;
import dev.kcache.toolchain.probe.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KfdTopologyTest {
  @TempDir Path directory;
  private FakeHost host;

  @BeforeEach
  void make() throws IOException {
    host = new FakeHost(directory);
  }

  @ParameterizedTest
  @CsvSource({
    "90010, gfx90a", "90402, gfx942", "90012, gfx90c", "90006, gfx906", "90500, gfx950",
    "100300, gfx1030", "110000, gfx1100", "110003, gfx1103", "110501, gfx1151", "120001, gfx1201",
    "80003, gfx803",
  })
  void gpus_targetVersion_isTheProcessor(int version, String processor) throws IOException {
    host.gpu(version, "1014020588222920619");

    assertThat(topology().gpus())
        .containsExactly(new ListedGpu(processor, "", Optional.of("GPU-0e12865a3bf5b7ab")));
  }

  @Test
  void gpus_uniqueIdBeyondALong_isUnsigned() throws IOException {
    host.gpu(90010, "18446744073709551615");
    assertThat(topology().gpus().get(0).uuid()).contains("GPU-ffffffffffffffff");

    host.gpu(90010, "0");
    assertThat(topology().gpus().get(0).uuid()).isEmpty();
  }

  @Test
  void gpus_nodesBeyondNine_areInTheOrderOfTheirNumbers() throws IOException {
    host.node(10, "simd_count 1", "gfx_target_version 120001");
    host.node(9, "simd_count 1", "gfx_target_version 90010");

    assertThat(topology().gpus())
        .extracting(ListedGpu::target)
        .containsExactly("gfx90a", "gfx1201");
  }

  @Test
  void gpus_hiddenNode_isPassedOver() throws IOException {
    host.gpu(90010, "5").node(2, "simd_count 1", "gfx_target_version 90402");
    Path properties = topology().nodes().resolve("2/properties");
    Files.delete(properties);
    Files.createDirectory(properties);

    assertThat(topology().gpus()).extracting(ListedGpu::target).containsExactly("gfx90a");
  }

  @Test
  void gpus_oldKernelThatTellsNoVersion_isOneThatNobodyKnows() throws IOException {
    host.node(1, "simd_count 416");

    assertThat(topology().gpus())
        .extracting(ListedGpu::target)
        .containsExactly("gfx_target_version=0");
  }

  @Test
  void gpus_noTopologyOrRubbish_isNone() throws IOException {
    assertThat(topology().gpus()).isEmpty();
    assertThat(topology().digest()).isEmpty();
    host.node(1, "simd_count many", "\u0000", "unique_id");
    assertThat(topology().gpus()).isEmpty();
  }

  @Test
  void digest_changesWithAGpuAndNotWithACpu() throws IOException {
    host.gpu(90010, "5");
    Optional<Digest> before = topology().digest();
    assertThat(before).isPresent();

    host.node(0, "cpu_cores_count 16", "simd_count 0", "max_engine_clk_ccompute 1200");
    assertThat(topology().digest()).isEqualTo(before);
    host.gpu(90010, "6");
    assertThat(topology().digest()).isPresent().isNotEqualTo(before);
    host.gpu(90010, "5").node(2, "simd_count 416", "gfx_target_version 90010");
    assertThat(topology().digest()).isPresent().isNotEqualTo(before);
  }

  @Test
  void read_filesOfTheKernel_whoseSizeIsUntold() {
    assertThat(Host.read(Path.of("/proc/sys/kernel/hostname")))
        .hasValueSatisfying(name -> assertThat(name).isNotBlank());
  }

  private KfdTopology topology() {
    return new KernelGpus(directory).topology();
  }
}
