// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
  @Test
  void options_areTakenInAnyOrder() {
    assertThat(
            Settings.parse(
                List.of("--json", "t.json", "--rehearse", "--commit", "c0ffee", "--c", "gpu")))
        .isEqualTo(
            new Settings(
                Optional.of(Path.of("gpu")),
                Optional.of(Path.of("t.json")),
                "c0ffee",
                Effort.REHEARSAL));
  }

  @Test
  void nothing_measuresInFull() {
    assertThat(Settings.parse(List.of()).effort()).isEqualTo(Effort.FULL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--jsn", "--json", "gpu"})
  void anythingElse_isRefusedWithTheUsage(String argument) {
    assertThatThrownBy(() -> Settings.parse(List.of("--rehearse", argument)))
        .hasMessage(Settings.USAGE);
  }
}
