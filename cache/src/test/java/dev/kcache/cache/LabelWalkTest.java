// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which compiler's entry serves where there is no compiler. */
class LabelWalkTest extends CacheTestBase {

  private void fill(List<String> labels) {
    for (String label : labels) {
      toolchain.version = label;
      toolchain.content = "compiler " + label;
      fill(SOURCE);
    }
    toolchain.isAbsent = true;
  }

  private static String served(CacheManager cache) {
    return cache.deviceRequests().resolve(SOURCE, GFX90A).label().text();
  }

  @ParameterizedTest
  @CsvSource({
    "6.4 7.2 5.7 llvm20.1,      7.2",
    "10.0 9.1 7.15,             10.0",
    "5.2 llvm20.1 hiprtc7.2,    5.2",
    "llvm20.1 llvm21.0,         llvm21.0",
    "hiprtc5.2 hiprtc6.4 llvm3.0, hiprtc6.4",
  })
  void nothingSet_newestOfHipsServes_elseOfAnotherCompiler(String labels, String served) {
    fill(List.of(labels.split(" ", -1)));
    try (CacheManager cache = manager()) {
      assertThat(served(cache)).isEqualTo(served);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "prefer-cache", "sealed"})
  void nothingSet_runtimesVersionIsFirst(String policy) {
    fill(List.of("5.2", "6.4", "7.2"));
    try (CacheManager cache =
        builder("KCACHE_POLICY", policy).runtime(new ToolchainLabel("6.4")).build()) {
      assertThat(served(cache)).isEqualTo("6.4");
    }
  }

  @Test
  void nothingSet_runtimeOfNoEntry_isServedTheNewest() {
    fill(List.of("5.2", "7.2"));
    try (CacheManager cache = builder().runtime(new ToolchainLabel("6.4")).build()) {
      assertThat(served(cache)).isEqualTo("7.2");
    }
  }

  @Test
  void setVersion_winsOverTheRuntimes_andOtherLabelsAreNotWalked() {
    fill(List.of("5.2", "6.4", "7.2"));
    try (CacheManager cache =
        builder("ROCM_VERSION", "5.2").runtime(new ToolchainLabel("6.4")).build()) {
      assertThat(served(cache)).isEqualTo("5.2");
    }
    try (CacheManager cache =
        builder("ROCM_VERSION", "6.1").runtime(new ToolchainLabel("6.4")).build()) {
      assertThatThrownBy(() -> served(cache)).isInstanceOf(ToolchainNotFoundException.class);
    }
  }

  @Test
  void compiler_winsOverTheRuntimesVersion() {
    fill(List.of("6.4", "7.2"));
    toolchain.isAbsent = false;
    try (CacheManager cache = builder().runtime(new ToolchainLabel("6.4")).build()) {
      assertThat(served(cache)).isEqualTo("7.2");
    }
  }
}
