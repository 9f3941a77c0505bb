// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  @TempDir Path parent;

  @Test
  void sweep_removesWhatKilledProcessesLeftAndNothingElse() throws IOException {
    Path left = directory("kcache-12345", Duration.ofHours(25));
    Path inUse = directory("kcache-67890", Duration.ofHours(23));
    Path other = directory("kcache-notes", Duration.ofDays(9));
    Path precious = directory("precious", Duration.ofDays(9));
    Path link = Files.createSymbolicLink(parent.resolve("kcache-777"), precious);

    Staging.sweep(parent, NOW);

    assertThat(left).doesNotExist();
    for (Path kept : new Path[] {inUse, other, precious, link}) {
      assertThat(kept.resolve("work/f.hip")).exists();
    }
  }

  @Test
  void sweep_missingDirectory_isNoFault() {
    Staging.sweep(parent.resolve("missing"), NOW);

    assertThat(parent).isEmptyDirectory();
  }

  private Path directory(String name, Duration age) throws IOException {
    Path directory = parent.resolve(name);
    Files.createDirectories(directory.resolve("work"));
    Files.writeString(directory.resolve("work/f.hip"), name);
    return Files.setLastModifiedTime(directory, FileTime.from(NOW.minus(age)));
  }
}
