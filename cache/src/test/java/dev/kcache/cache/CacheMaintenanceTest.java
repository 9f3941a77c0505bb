// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Whoever looks at entries leaves them as they are. */
class CacheMaintenanceTest extends CacheTestBase {
  private Path only(String suffix) throws IOException {
    return files(root(), suffix).get(0);
  }

  private static CacheEntry entry(CacheManager cache) {
    return cache.maintenance().entries().get(0);
  }

  @Test
  void codeObject_isNoUseOfTheEntry() throws IOException {
    fill(SOURCE);
    FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofDays(2)));
    Files.setLastModifiedTime(only(".json"), longAgo);

    try (CacheManager cache = manager()) {
      assertThat(cache.maintenance().codeObject(entry(cache))).isPresent();
    }

    assertThat(Files.getLastModifiedTime(only(".json"))).isEqualTo(longAgo);
  }

  @Test
  void damagedCodeObject_staysInPlace() throws IOException {
    fill(SOURCE);
    Path image = only(".co");
    Files.writeString(image, "damaged");

    try (CacheManager cache = manager()) {
      assertThat(cache.maintenance().codeObject(entry(cache))).isEmpty();
      assertThat(cache.maintenance().quarantined()).isZero();
    }

    assertThat(image).hasContent("damaged");
  }

  @Test
  void unusableRecords_areThoseThatAreNoEntries() throws IOException {
    fill(SOURCE, OTHER);
    Files.writeString(only(".json"), "{");

    try (CacheManager cache = manager()) {
      CacheMaintenance maintenance = cache.maintenance();
      assertThat(maintenance.entries()).hasSize(1);
      assertThat(maintenance.unusableRecords(root())).isEqualTo(1);
      assertThatThrownBy(() -> maintenance.unusableRecords(temp))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(temp + " is neither the directory nor a layer");
    }
  }
}
