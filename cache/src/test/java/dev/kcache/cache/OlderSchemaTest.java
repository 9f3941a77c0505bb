// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory that a version with records of schema 2 filled with {@link #SOURCE}. */
class OlderSchemaTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");

  @TempDir Path temp;
  private final FakeToolchain toolchain = new FakeToolchain();
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

  private CacheManager manager(String policy, Map<String, String> directories) {
    Map<String, String> environment = new HashMap<>(directories);
    environment.putAll(Map.of("KCACHE_POLICY", policy, "ROCM_VERSION", "5.2"));
    return CacheManager.builder()
        .environment(environment)
        .target(GFX90A)
        .toolchain(toolchain)
        .build();
  }

  private Map<String, String> asOwn() {
    return Map.of("KCACHE_DIR", older.toString());
  }

  private Map<String, String> asLayer() {
    return Map.of("KCACHE_DIR", temp.resolve("own").toString(), "KCACHE_PATH", older.toString());
  }

  @Test
  void entries_areMissesAndNoDamage() {
    try (CacheManager cache = manager("sealed", asOwn())) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE)).isInstanceOf(CacheMissException.class);
    }
    try (CacheManager cache = manager("prefer-cache", asOwn())) {
      assertThat(cache.getIfPresent(SOURCE)).isEmpty();
      assertThat(cache.maintenance().entries()).isEmpty();
      assertThat(cache.maintenance().verify(true, (directory, done, total) -> {}).findings())
          .isEmpty();
      assertThat(cache.resolveAsync(SOURCE, GFX90A).join().origin()).isEqualTo(Origin.COMPILED);
      assertThat(cache.maintenance().entries()).hasSize(1);
    }
    assertThat(older.resolve("quarantine")).doesNotExist();
  }

  @Test
  void layer_isToldOnceInAProcessAndServesNothing() {
    try (Warnings warnings = Warnings.of(Directories.class)) {
      for (int i = 0; i < 3; i++) {
        try (CacheManager cache = manager("sealed", asLayer())) {
          assertThatThrownBy(() -> cache.getOrCompile(SOURCE))
              .isInstanceOf(CacheMissException.class);
        }
      }
      assertThat(warnings.lines())
          .containsExactly(
              "layer " + older + " was filled by an older version of kcache; prewarm it anew");
    }
  }
}
