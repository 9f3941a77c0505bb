// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which cubin and which PTX runs on which device: the whole rule of CUDA's compatibility guides as
 * tables, with the exceptions that PyTorch's own table makes for the GPUs of Jetsons.
 */
final class NvidiaCompatibilityTest {
  /** What real devices may report. */
  private static final List<Integer> DEVICES =
      List.of(
          50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121);

  /** Each cubin's code, and the devices it runs on. */
  @ParameterizedTest
  @CsvSource({
    "50, 50 52",
    "52, 52",
    "53, 53",
    "60, 60 61",
    "61, 61",
    "62, 62",
    "70, 70 75",
    "72, 72",
    "75, 75",
    "80, 80 86 89",
    "86, 86 89",
    "87, 87",
    "88, 88",
    "89, 89",
    "90, 90",
    "90a, 90",
    "100, 100 103",
    "100a, 100",
    "100f, 100 103",
    "101, 101",
    "101a, 101",
    "101f, 101",
    "103, 103",
    "103a, 103",
    "103f, 103",
    "110, 110",
    "110a, 110",
    "110f, 110",
    "120, 120 121",
    "120a, 120",
    "120f, 120 121",
    "121, 121",
    "121a, 121",
    "121f, 121",
  })
  void runsOn_ofACubin(String code, String devices) {
    assertThat(devicesThatRun("sm_" + code)).isEqualTo(devices);
  }

  @Test
  void runsOn_ofPtx_isEveryLaterDevice() {
    for (int code : DEVICES) {
      assertThat(devicesThatRun("compute_" + code))
          .isEqualTo(text(DEVICES.stream().filter(device -> device >= code)));
    }
  }

  /** PTX for one capability or one family is no more portable than a cubin of that kind. */
  @ParameterizedTest
  @CsvSource({
    "compute_90a, 90",
    "compute_100a, 100",
    "compute_100f, 100 103",
    "compute_103f, 103",
    "compute_110f, 110",
    "compute_120f, 120 121",
    "compute_121a, 121",
  })
  void runsOn_ofPtxWithASuffix(String code, String devices) {
    assertThat(devicesThatRun(code)).isEqualTo(devices);
  }

  /** A hint of what to compile for is no device; what it could run is not guessed. */
  @Test
  void runsOn_whatIsNoDevice_onlyItself() {
    for (Processor device : Platform.NVIDIA.processors()) {
      if (!DEVICES.stream().map(each -> "sm_" + each).toList().contains(device.toString())) {
        assertThat(Stream.of(Processor.values()).filter(code -> code.runsOn(device)))
            .containsExactly(device);
      }
    }
  }

  @Test
  void runsOn_theOtherPlatform_never() {
    for (Processor amd : Platform.AMD.processors()) {
      for (Processor nvidia : Platform.NVIDIA.processors()) {
        assertThat(amd.runsOn(nvidia)).isFalse();
        assertThat(nvidia.runsOn(amd)).isFalse();
      }
    }
  }

  private static String devicesThatRun(String code) {
    TargetId target = TargetId.parse(code);
    return text(DEVICES.stream().filter(device -> target.runsOn(TargetId.parse("sm_" + device))));
  }

  private static String text(Stream<Integer> devices) {
    return devices.map(Object::toString).collect(joining(" "));
  }
}
