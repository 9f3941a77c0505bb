// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CacheSettingsTest {
  @Test
  void layers_areTheListedDirectoriesInTheirOrder() {
    assertThat(layers("/b:/a:/b")).containsExactly(Path.of("/b"), Path.of("/a"), Path.of("/b"));
  }

  @Test
  void layers_emptySegmentsAreIgnored() {
    assertThat(layers("")).isEmpty();
    assertThat(layers(":")).isEmpty();
    assertThat(layers("::/a::/b:")).containsExactly(Path.of("/a"), Path.of("/b"));
  }

  @Test
  void layers_relativeOnesAreMadeAbsolute() {
    Path here = Path.of("").toAbsolutePath();
    assertThat(layers("a/../b:.:/c/./d")).containsExactly(here.resolve("b"), here, Path.of("/c/d"));
  }

  @Test
  void layers_whatIsNoPathIsPassedOverWithAWarning() {
    try (Warnings warnings = Warnings.of(CacheSettings.class)) {
      assertThat(layers("/a:b\0c:/d")).containsExactly(Path.of("/a"), Path.of("/d"));
      assertThat(warnings.lines()).singleElement().asString().startsWith("KCACHE_PATH holds ");
    }
  }

  private static List<Path> layers(String value) {
    return CacheSettings.of(Map.of("KCACHE_PATH", value)).layers();
  }
}
