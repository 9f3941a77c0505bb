// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the tools print, as published or captured; see README.md beside the fixtures. */
class DeviceReportsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rocminfo.gfx90a.txt | gfx90a:sramecc+:xnack- | AMD Radeon Graphics |"
            + " GPU-209951be100ce86a",
        "rocminfo.gfx90a.xnack.txt | gfx90a:sramecc+:xnack+ | AMD Radeon Graphics |"
            + " GPU-209951be100ce86a",
        "rocminfo.gfx1103npu.txt | gfx1103 | AMD Radeon 780M Graphics |",
        "rocminfo.wsl.txt | gfx1100 | AMD Radeon RX 7900 XTX |",
        "rocminfo.rocm4.txt | gfx906:sramecc-:xnack- | Vega 20 |",
      })
  void rocminfo_oneGpu_isIt(String fixture, String target, String name, String uuid)
      throws IOException {
    assertThat(RocminfoReport.parse(text("rocminfo", fixture)).gpus())
        .containsExactly(new ListedGpu(target, name, Optional.ofNullable(uuid)));
  }

  @Test
  void rocminfo_twoEqualGpus_areTwo() throws IOException {
    String target = "gfx90a:sramecc+:xnack-";
    assertThat(RocminfoReport.parse(text("rocminfo", "rocminfo.mi210x2.txt")).gpus())
        .containsExactly(
            new ListedGpu(target, "AMD Instinct MI210", Optional.of("GPU-209951be100ce86a")),
            new ListedGpu(target, "AMD Instinct MI210", Optional.of("GPU-2c0c6a9ce4219723")));
  }

  @Test
  void rocminfo_eightGpus_areEightInOrder() throws IOException {
    List<ListedGpu> gpus = RocminfoReport.parse(text("rocminfo", "rocminfo.mi300x8.txt")).gpus();
    assertThat(gpus).hasSize(8).doesNotHaveDuplicates();
    assertThat(gpus.get(0))
        .isEqualTo(
            new ListedGpu(
                "gfx942:sramecc+:xnack-",
                "AMD Instinct MI300X",
                Optional.of("GPU-07386a321fa45d1e")));
  }

  @Test
  void rocminfo_otherAgents_areKnownForWhatTheyAre() throws IOException {
    RocminfoReport report = RocminfoReport.parse(text("rocminfo", "rocminfo.gfx1103npu.txt"));
    assertThat(report.agents())
        .extracting(RocminfoReport.Agent::deviceType)
        .containsExactly("CPU", "GPU", "DSP");
  }

  @ParameterizedTest
  @CsvSource({
    "rocminfo.override11.txt",
    "rocminfo.nogpu.txt",
    "rocminfo.overridejunk.txt",
    "rocminfo.wslnone.txt",
    "rocminfo.notmember.txt",
  })
  void rocminfo_noGpu_isNone(String fixture) throws IOException {
    assertThat(RocminfoReport.parse(text("rocminfo", fixture)).gpus()).isEmpty();
  }

  @Test
  void rocminfo_linesOfWindows_areTheSame() throws IOException {
    String unix = text("rocminfo", "rocminfo.igpu.txt");
    assertThat(RocminfoReport.parse(unix.replace("\n", "\r\n")))
        .isEqualTo(RocminfoReport.parse(unix));
    assertThat(RocminfoReport.parse(unix).gpus()).hasSize(2);
  }

  @Test
  void rocminfo_noIsa_isTheAgentsName() throws IOException {
    String printed = text("rocminfo", "rocminfo.wsl.txt");
    String cut = printed.substring(0, printed.lastIndexOf("  ISA Info:"));
    assertThat(RocminfoReport.parse(cut).gpus())
        .extracting(ListedGpu::target)
        .containsExactly("gfx1100");
  }

  @Test
  void hipinfo_ofWindows_isTheDevicesInOrder() throws IOException {
    assertThat(HipinfoReport.parse(text("hipinfo", "hipinfo.gfx1100.txt")))
        .containsExactly(new ListedGpu("gfx1100", "AMD Radeon RX 7900 XTX", Optional.empty()));
    assertThat(HipinfoReport.parse(text("hipinfo", "hipinfo.igpu.txt")))
        .containsExactly(
            new ListedGpu("gfx1100", "AMD Radeon RX 7900 XTX", Optional.empty()),
            new ListedGpu("gfx1036", "AMD Radeon(TM) Graphics", Optional.empty()));
  }

  private static String text(String folder, String fixture) throws IOException {
    try (InputStream in =
        DeviceReportsTest.class.getResourceAsStream("/" + folder + "/" + fixture)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
