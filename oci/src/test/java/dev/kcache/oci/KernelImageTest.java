// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static dev.kcache.oci.Kernels.GFX1030;
import static dev.kcache.oci.Kernels.GFX90A;
import static dev.kcache.oci.Kernels.GFX942;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CachePolicy;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images in files. */
class KernelImageTest {
  @TempDir Path temp;

  private Path filled(String name, TargetId... targets) {
    Path directory = temp.resolve(name);
    Kernels.fill(directory, Map.of(), targets);
    return directory;
  }

  private KernelImage image(String name) {
    return KernelImage.named(temp.resolve(name).toString(), Map.of());
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void sameEntries_giveTheSameBytesAndDigest() throws IOException {
    Path cache = filled("cache", GFX90A, GFX1030);
    ImageContents one = image("one.tar").write(cache, Set.of());
    PulledEntries pulled = image("one.tar").pull(temp.resolve("copy"), Set.of());
    ImageContents other = image("other.tar").write(temp.resolve("copy"), Set.of());

    assertThat(pulled).isEqualTo(new PulledEntries(4, 0, 0, 0, 0, pulled.bytes(), List.of()));
    assertThat(other).isEqualTo(one);
    assertThat(one.layers()).containsExactly("gfx1030-5.2", "gfx90a-5.2");
    assertThat(one.targets()).containsExactly(GFX1030, GFX90A);
    assertThat(one.entries()).isEqualTo(4);
    assertThat(temp.resolve("other.tar")).hasSameBinaryContentAs(temp.resolve("one.tar"));
    assertThat(names(temp)).containsExactly("cache", "copy", "one.tar", "other.tar");
  }

  @Test
  void pulledEntries_areHitsWithoutACompiler() {
    image("one.tar").write(filled("cache", GFX90A), Set.of());
    image("one.tar").pull(temp.resolve("copy"), Set.of());
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of())
            .directory(temp.resolve("copy"))
            .policy(CachePolicy.SEALED)
            .build()) {
      assertThat(cache.getIfPresent(Kernels.source("a.hip"), GFX90A)).isPresent();
      assertThat(cache.getIfPresent(Kernels.source("c.hip"), GFX90A)).isEmpty();
    }
  }

  @Test
  void targets_chooseWhatIsWrittenAndPulled() {
    Path cache = filled("cache", GFX90A, GFX1030);
    ImageContents part = image("part.tar").write(cache, Set.of(GFX1030));
    image("all.tar").write(cache, Set.of());

    assertThat(part.layers()).containsExactly("gfx1030-5.2");
    assertThat(image("all.tar").pull(temp.resolve("copy"), Set.of(GFX90A)).copied()).isEqualTo(2);
    assertThat(image("part.tar").pull(temp.resolve("copy"), Set.of()).copied()).isEqualTo(2);
    assertThat(image("all.tar").pull(temp.resolve("copy"), Set.of()).present()).isEqualTo(4);
    assertThatThrownBy(() -> image("none.tar").write(cache, Set.of(GFX942)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("there are no kernels for these targets in '");
    assertThat(temp.resolve("none.tar")).doesNotExist();
  }
}
