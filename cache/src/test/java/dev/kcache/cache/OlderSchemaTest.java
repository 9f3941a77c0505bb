// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.standin.Warnings;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A directory that a version with records of schema 2 filled with {@link CacheTestBase#SOURCE}. */
class OlderSchemaTest extends CacheTestBase {
  private Path older;

  @BeforeEach
  void copyTheDirectory() throws IOException, URISyntaxException {
    older = temp.resolve("older");
    Path filled = Path.of(OlderSchemaTest.class.getResource("schema-2").toURI());
    try (Stream<Path> files = Files.walk(filled)) {
      for (Path file : files.toList()) {
        Path copy = older.resolve(filled.relativize(file).toString());
        Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  @Test
  void entries_areMissesAndNoDamage() {
    try (CacheManager cache = manager("KCACHE_DIR", older.toString(), "KCACHE_POLICY", "sealed")) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(CacheMissException.class);
    }
    try (CacheManager cache =
        manager("KCACHE_DIR", older.toString(), "KCACHE_POLICY", "prefer-cache")) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      assertThat(cache.maintenance().entries()).isEmpty();
      assertThat(cache.maintenance().repair((directory, done, total) -> {}).findings()).isEmpty();
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(cache.maintenance().entries()).hasSize(1);
    }
    assertThat(older.resolve("quarantine")).doesNotExist();
  }

  @Test
  void layer_isToldOnceInAProcessAndServesNothing() {
    try (Warnings warnings = Warnings.of(Directories.class)) {
      for (int i = 0; i < 2; i++) {
        try (CacheManager cache =
            manager("KCACHE_PATH", older.toString(), "KCACHE_POLICY", "sealed")) {
          assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
              .isInstanceOf(CacheMissException.class);
        }
      }
      assertThat(warnings.lines())
          .containsExactly(
              "layer " + older + " was filled by an older version of kcache; prewarm it anew");
    }
  }
}
