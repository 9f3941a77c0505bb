// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.CollectionResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a manager has its cache directory looked at, and what its maintenance does. */
class BackgroundEvictionTest extends CacheTestBase {
  @Test
  void put_firstInAnHour_evictsInTheBackgroundWhatIsTooOld() throws IOException {
    fill(builder(), "old");
    age("old.hip", Duration.ofDays(3));
    letAnHourPass();
    fill(builder().maxAge(Duration.ofDays(2)), "new");

    assertThat(sources()).containsExactly("new.hip");
  }

  @Test
  void put_secondInAnHour_evictsNothing() throws IOException {
    fill(builder(), "old");
    age("old.hip", Duration.ofDays(3));
    fill(builder().maxAge(Duration.ofDays(2)), "new");

    assertThat(sources()).containsExactly("new.hip", "old.hip");
  }

  @Test
  void put_muchSinceTheLastTime_evictsWithinTheHour() throws IOException {
    fill(builder(), "old");
    age("old.hip", Duration.ofDays(3));
    fill(builder().maxSize(10_000), "new");

    assertThat(sources()).doesNotContain("old.hip");
  }

  @Test
  void put_withoutLimits_doesNotEvenLook() throws IOException {
    fill(builder().withoutMaxSize(), "a");

    assertThat(root().resolve("collected")).doesNotExist();
  }

  @Test
  void put_intoADirectoryForOthers_evictsNothing() throws IOException {
    CacheManagerBuilder builder = builder().directory(root()).maxSize(1);
    fill(builder, "a", "b");

    assertThat(sources()).containsExactly("a.hip", "b.hip");
    assertThat(root().resolve("collected")).doesNotExist();
  }

  @Test
  void hit_writesNothing() throws IOException {
    fill(builder(), "a");
    letAnHourPass();
    FileTime before = Files.getLastModifiedTime(root().resolve("collected"));
    fill(builder(), "a");

    assertThat(toolchain.jobs).hasSize(1);
    assertThat(Files.getLastModifiedTime(root().resolve("collected"))).isEqualTo(before);
  }

  @Test
  void collect_withoutADirectory_findsNothing() {
    CollectionResult nothing = new CollectionResult(0, 0, 0, 0, Optional.empty());
    try (CacheManager cache = builder().build();
        CacheManager none = manager("KCACHE_DISABLE", "1")) {
      assertThat(cache.maintenance().collect()).isEqualTo(nothing);
      assertThat(none.maintenance().collect()).isEqualTo(nothing);
    }
    assertThat(root()).doesNotExist();
  }

  @Test
  void collect_directoryThatOthersCanWrite_isRefusedWithTheReason() throws IOException {
    fill(builder(), "a");
    assertThat(root().toFile().setWritable(true, false)).isTrue();
    try (CacheManager cache = builder().maxSize(1).build()) {
      assertThatThrownBy(() -> cache.maintenance().collect())
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("can be written by other users");
    }
  }

  @Override
  CacheManagerBuilder builder(String... variables) {
    return super.builder(variables).target(GFX90A);
  }

  /** Has sources compiled, unless they are there, by a manager that is closed then. */
  private static void fill(CacheManagerBuilder builder, String... names) {
    try (CacheManager cache = builder.build()) {
      for (String name : names) {
        cache.getOrCompile(source(name));
      }
    }
  }

  private List<String> sources() {
    try (CacheManager cache = builder().build()) {
      return cache.maintenance().entries().stream().map(CacheEntry::source).toList();
    }
  }

  private void letAnHourPass() throws IOException {
    age(root().resolve("collected"), Duration.ofMinutes(61));
  }

  private void age(String source, Duration age) throws IOException {
    for (Path file : files(root(), ".json")) {
      if (Files.readString(file).contains(source)) {
        age(file, age);
      }
    }
  }

  private static void age(Path file, Duration age) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
  }
}
