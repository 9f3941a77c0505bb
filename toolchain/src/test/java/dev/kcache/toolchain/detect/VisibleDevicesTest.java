// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.rocm.Environment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines marked "measured" were run against the HIP runtime 5.2.3 with two GPUs. */
class VisibleDevicesTest {
  private static final List<ListedGpu> ALL =
      List.of(
          new ListedGpu("0", "", Optional.of("GPU-0e12865a3bf5b7ab")),
          new ListedGpu("1", "", Optional.of("GPU-0e22222222222222")),
          new ListedGpu("2", "", Optional.empty()));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1       | 1   | measured",
        "1,0     | 1 0 | measured",
        "-1      |     | measured",
        "0,7,1   | 0   | cut at the first bad token",
        "1,1,0   | 1 0 | a repetition is passed over",
        "2,      | 2   |",
        "',1'    |     |",
        "' 1'    |     | blanks are no part of a number",
        "0, 1    | 0   |",
        "01      |     |",
        "+1      |     |",
        "0x1     |     |",
        "1abc    |     |",
        "none    |     |",
        "3       |     |",
        "99999999999 |  |",
        "GPU-0e22222222222222   | 1 |",
        "GPU-0e   | 0   | the first that matches",
        "GPU-0e2  | 1   | a part is enough",
        "GPU-0E22222222222222   |   | the case counts",
        "GPU-0e22222222222222,0 | 1 0 |",
        "GPU-ffff,0             |   |",
        "GPU-XX   |     | a device without a UUID has no name",
      })
  void hip_list_showsTheseInThisOrder(String value, String shown, String why) {
    assertThat(shown(new VisibleDevices("HIP_VISIBLE_DEVICES", value, false)))
        .as(why)
        .isEqualTo(shown == null ? "" : shown);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''      |     | measured: set and empty hides all",
        "1       | 1   | measured",
        "1,0     | 1 0 | measured",
        "0,7,1   | 0   | measured",
        "1,1     | 1   | measured",
        "1,1,0   | 1   | a repetition ends the list",
        "'1, 0'  | 1 0 | tokens are trimmed",
        "-1      |     |",
        "0x1     | 1   | read as strtol reads",
        "#1      |     |",
        "1abc    |     |",
        "GPU-0E12865a3bf5b7ab | 0 | measured: the case doesn't count",
        "GPU-0e   |    | measured: ambiguous",
        "GPU-0e2  | 1  | the beginning is enough",
        "GPU-     |    | too short",
        "GPU-0e22222222222222f | | too long",
      })
  void hsa_list_showsTheseInThisOrder(String value, String shown, String why) {
    assertThat(shown(new VisibleDevices("ROCR_VISIBLE_DEVICES", value, true)))
        .as(why)
        .isEqualTo(shown == null ? "" : shown);
  }

  @Test
  void hip_variables_theFirstThatIsNotEmptyCounts() {
    assertThat(hip("1", "0")).contains("HIP_VISIBLE_DEVICES='1'");
    assertThat(hip("", "0")).contains("CUDA_VISIBLE_DEVICES='0'");
    assertThat(hip(null, "")).isEmpty();
    assertThat(VisibleDevices.ofHip(new Environment(Map.of("GPU_DEVICE_ORDINAL", "0")))).isEmpty();
  }

  private static Optional<String> hip(String hip, String cuda) {
    Map<String, String> environment = new HashMap<>(Map.of("CUDA_VISIBLE_DEVICES", cuda));
    if (hip != null) {
      environment.put("HIP_VISIBLE_DEVICES", hip);
    }
    return VisibleDevices.ofHip(new Environment(environment)).map(VisibleDevices::describe);
  }

  private static String shown(VisibleDevices list) {
    return list.of(ALL).stream().map(ListedGpu::target).collect(Collectors.joining(" "));
  }
}
