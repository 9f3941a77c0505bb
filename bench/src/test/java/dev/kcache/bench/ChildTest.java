// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChildTest {
  private static Child sh(String script) {
    return Child.run(List.of("sh", "-c", script), Map.of("FIGURE", "2.5e-07"));
  }

  @Test
  void figures_areTheLinesAfterTheFirst() {
    Child child = sh("echo started; echo $FIGURE; echo 3");

    assertThat(child.figures()).containsExactly(2.5e-7, 3.0);
    assertThat(child.startSeconds()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"echo started; echo 1; exit 4", "echo 1", "exit 0"})
  void failure_isToldWithTheCommand(String script) {
    assertThatThrownBy(() -> sh(script))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("exit status ")
        .hasMessageEndingWith(" of: sh -c " + script);
  }

  @Test
  void noSuchProgram_isTold() {
    assertThatThrownBy(() -> Child.run(List.of("there-is-none"), Map.of()))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("there-is-none");
  }
}
